#include "log/state/leader_epochs.h"

#include <algorithm>

namespace moldau {

std::optional<EpochEntry> LeaderEpochs::latest() const {
  if (entries_.empty()) return std::nullopt;
  return entries_.back();
}

std::optional<EpochEntry> LeaderEpochs::earliest() const {
  if (entries_.empty()) return std::nullopt;
  return entries_.front();
}

std::optional<LeaderEpoch> LeaderEpochs::epoch_for_offset(Offset offset) const {
  auto after = std::upper_bound(entries_.begin(), entries_.end(), offset,
                                [](Offset o, const EpochEntry& e) { return o < e.start; });
  if (after == entries_.begin()) return std::nullopt;
  return std::prev(after)->epoch;
}

bool LeaderEpochs::assign(LeaderEpoch epoch, Offset start) {
  if (epoch.value < 0 || start.value < 0) return false;
  if (!entries_.empty() && entries_.back().epoch == epoch && start >= entries_.back().start) return false;
  while (!entries_.empty() && (entries_.back().epoch >= epoch || entries_.back().start >= start))
    entries_.pop_back();
  entries_.push_back({epoch, start});
  return true;
}

std::optional<EpochEntry> LeaderEpochs::end_offset_for(LeaderEpoch epoch, Offset log_end) const {
  if (epoch == kNoLeaderEpoch || entries_.empty() || epoch > entries_.back().epoch) return std::nullopt;
  if (epoch == entries_.back().epoch) return EpochEntry{epoch, log_end};
  // Here a later epoch exists: the first above `epoch` starts where the answer ends.
  auto later = std::upper_bound(entries_.begin(), entries_.end(), epoch,
                                [](LeaderEpoch e, const EpochEntry& entry) { return e < entry.epoch; });
  if (later == entries_.begin()) return EpochEntry{epoch, later->start};
  return EpochEntry{std::prev(later)->epoch, later->start};
}

bool LeaderEpochs::truncate_from_end(Offset end) {
  bool changed = false;
  for (; !entries_.empty() && entries_.back().start >= end; changed = true) entries_.pop_back();
  return changed;
}

bool LeaderEpochs::truncate_from_start(Offset start) {
  auto kept = std::upper_bound(entries_.begin(), entries_.end(), start,
                               [](Offset o, const EpochEntry& e) { return o < e.start; });
  if (kept == entries_.begin()) return false;  // the first begins above `start` already
  const auto first = std::prev(kept);          // covers `start`
  const bool changed = first != entries_.begin() || first->start != start;
  first->start = start;
  entries_.erase(entries_.begin(), first);
  return changed;
}

}  // namespace moldau
