#include "sim/cluster/history.h"

#include <fmt/format.h>

#include <algorithm>

namespace moldau::sim {

void History::complain(std::string violation) {
  if (violations_.size() < 20) violations_.push_back(std::move(violation));
}

int64_t History::send(int producer) {
  sent_.push_back({.producer = producer});
  return static_cast<int64_t>(sent_.size()) - 1;
}

void History::acknowledged(int64_t value, int64_t offset) {
  Value& known = sent_[static_cast<size_t>(value)];
  if (known.acknowledged_at < 0)
    ++acknowledged_;
  else if (known.acknowledged_at != offset)
    complain(fmt::format("duplicate: value {} was acknowledged at {} and at {}", value, known.acknowledged_at,
                         offset));
  known.acknowledged_at = offset;
  int64_t& last = last_of_.try_emplace(known.producer, -1).first->second;
  if (offset < last)
    complain(
        fmt::format("nonmonotonic-send: producer {} got offset {} after {}", known.producer, offset, last));
  last = std::max(last, offset);
  const auto seen = at_.find(offset);
  if (seen != at_.end() && seen->second != value) {
    complain(fmt::format("lost-write: value {} was acknowledged at {}, where {} was seen", value, offset,
                         seen->second));
  }
}

void History::seen(int64_t value, int64_t offset, int64_t expected) {
  if (expected >= 0 && offset != expected)
    complain(fmt::format("gap: read offset {} where {} should follow", offset, expected));
  if (value < 0 || value >= sent())
    return complain(fmt::format("phantom: value {} at {} was never sent", value, offset));
  const auto [at, is_new] = at_.emplace(offset, value);
  if (!is_new && at->second != value)
    complain(fmt::format("inconsistent-offset: {} was seen with {} and with {}", offset, at->second, value));
  Value& known = sent_[static_cast<size_t>(value)];
  if (known.seen_at >= 0 && known.seen_at != offset)
    complain(fmt::format("duplicate: value {} was seen at {} and at {}", value, known.seen_at, offset));
  known.seen_at = offset;
  if (known.acknowledged_at >= 0 && known.acknowledged_at != offset) {
    complain(fmt::format("lost-write: value {} was acknowledged at {} and seen at {}", value,
                         known.acknowledged_at, offset));
  }
}

void History::refused(int producer, std::string_view error) {
  complain(producer < 0 ? fmt::format("refused: a consumer got {}", error)
                        : fmt::format("refused: producer {} got {}", producer, error));
}

void History::complete(int64_t end) {
  for (int64_t value = 0; value < sent(); ++value) {
    const Value& known = sent_[static_cast<size_t>(value)];
    if (known.acknowledged_at >= 0 && known.seen_at < 0) {
      complain(fmt::format("lost-write: value {} was acknowledged at {} and isn't there; the log ends at {}",
                           value, known.acknowledged_at, end));
    }
  }
}

}  // namespace moldau::sim
