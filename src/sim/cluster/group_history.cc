#include "sim/cluster/group_history.h"

#include <fmt/format.h>

namespace moldau::sim {

int64_t GroupHistory::acknowledged(int32_t partition) const {
  const auto at = acknowledged_.find(partition);
  return at == acknowledged_.end() ? -1 : at->second;
}

void GroupHistory::committed(int32_t partition, int64_t offset, int64_t acknowledged_before) {
  ++commits_;
  if (offset <= acknowledged_before)
    complain(fmt::format("two-owners: offset {} of partition {} was acknowledged after {}", offset, partition,
                         acknowledged_before));
  int64_t& highest = acknowledged_.try_emplace(partition, -1).first->second;
  highest = std::max(highest, offset);
}

void GroupHistory::fetched(int32_t partition, int64_t offset, int64_t acknowledged_before) {
  if (offset < acknowledged_before)
    complain(fmt::format("lost-commit: partition {} is at {}, though {} was acknowledged", partition, offset,
                         acknowledged_before));
}

void GroupHistory::joined(int32_t generation) {
  if (generation < generation_)
    complain(fmt::format("older-generation: {} comes after {}", generation, generation_));
}

}  // namespace moldau::sim
