// RecentBatches: where the newest batches of the active segment begin, so that reading at the tail needs neither an index
// nor a look into the file. Owner: the log's lane. Memory is taken with the first batch.
#pragma once
#include <memory>
#include <optional>

#include "base/ids.h"

namespace moldau {

struct Located {  // a batch in a segment's .log
  int64_t position = 0;
  int64_t size = 0;
  Offset base_offset{0};
};

class RecentBatches {
 public:
  static constexpr size_t kCapacity = 128;

  void clear() { count_ = 0; }
  // Batches come in order, without a hole between them in the file.
  void add(Offset base, Offset next, int64_t position, int64_t size) {
    if (!ring_) ring_ = std::make_unique<Batch[]>(kCapacity);
    ring_[(begin_ + count_) % kCapacity] = {base, next, position};
    if (count_ < kCapacity)
      ++count_;
    else
      begin_ = (begin_ + 1) % kCapacity;
    end_position_ = position + size;
  }
  // The first batch whose last offset is at or above `offset`; nullopt if that isn't known to be a recent one.
  std::optional<Located> find(Offset offset) const {
    if (count_ == 0 || offset >= at(count_ - 1).next || offset < at(0).base) return std::nullopt;
    size_t low = 0, high = count_ - 1;  // the first one that ends above
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (at(middle).next > offset)
        high = middle;
      else
        low = middle + 1;
    }
    const int64_t end = low + 1 < count_ ? at(low + 1).position : end_position_;
    return Located{at(low).position, end - at(low).position, at(low).base};
  }

 private:
  struct Batch {
    Offset base;
    Offset next;  // after its last; the batch behind it may begin later
    int64_t position;
  };
  const Batch& at(size_t i) const { return ring_[(begin_ + i) % kCapacity]; }

  std::unique_ptr<Batch[]> ring_;
  size_t begin_ = 0;
  size_t count_ = 0;
  int64_t end_position_ = 0;
};

}  // namespace moldau
