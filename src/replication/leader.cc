#include "replication/leader.h"

#include <algorithm>

#include "base/assert.h"

namespace moldau {

Leader::Leader(BrokerId self, Term term, Offset high_watermark, Offset log_end)
    : self_(self),
      term_(std::move(term)),
      epoch_start_(log_end),
      log_end_(log_end),
      high_watermark_(std::min(high_watermark, log_end)) {
  raise_high_watermark();
}

void Leader::change(Term term) {
  ASSERT(term.epoch == term_.epoch, "a new leader epoch makes a new Leader");
  term_ = std::move(term);
  raise_high_watermark();
}

bool Leader::on_append(Offset log_end) {
  ASSERT(log_end >= log_end_, "a leader doesn't truncate");
  log_end_ = log_end;
  return raise_high_watermark();
}

bool Leader::raise_high_watermark() {
  // Only this replica's end is known: with others in sync the high watermark waits for what they fetch.
  const bool alone = std::ranges::all_of(term_.isr, [this](BrokerId id) { return id == self_; });
  if (!alone || log_end_ <= high_watermark_) return false;
  high_watermark_ = log_end_;
  return true;
}

bool Leader::has_min_isr(int32_t min_insync_replicas) const {
  const auto needed = std::min<size_t>(static_cast<size_t>(min_insync_replicas), term_.replicas.size());
  return term_.isr.size() >= needed;
}

}  // namespace moldau
