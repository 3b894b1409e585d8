// Histogram: durations in buckets that grow by a quarter, from 1 µs to about an hour, so a quantile is right to within
// 25 %. A value of one lane; adding costs one increment, no clock and no lock.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace moldau::metrics {

class Histogram {
 public:
  static constexpr size_t kBuckets = 124;

  void add(int64_t microseconds) {
    const uint64_t us = microseconds > 0 ? static_cast<uint64_t>(microseconds) : 0;
    ++buckets_[bucket_of(us)];
    ++count_;
    sum_us_ += us;
  }
  void merge(const Histogram& other);
  // What came since `earlier`, which is an older copy of this.
  Histogram since(const Histogram& earlier) const;

  uint64_t count() const { return count_; }
  uint64_t sum_us() const { return sum_us_; }
  // The upper end of the bucket in which the quantile lies, 0 < q <= 1; none: nothing was added.
  std::optional<uint64_t> quantile_us(double q) const;
  // How many were in buckets that end at or below this.
  uint64_t count_up_to(uint64_t microseconds) const;

  static constexpr size_t bucket_of(uint64_t us) {
    if (us < 4) return static_cast<size_t>(us);
    const auto octave = static_cast<size_t>(std::bit_width(us)) - 3;  // 0 for 4 … 7
    const size_t index = 4 + 4 * octave + static_cast<size_t>((us >> octave) & 3);
    return index < kBuckets ? index : kBuckets - 1;
  }
  static constexpr uint64_t bucket_end(size_t bucket) {  // the largest value in it
    if (bucket < 4) return bucket;
    const size_t octave = (bucket - 4) / 4;
    return ((uint64_t{4} + (bucket - 4) % 4 + 1) << octave) - 1;
  }

 private:
  std::array<uint64_t, kBuckets> buckets_{};
  uint64_t count_ = 0;
  uint64_t sum_us_ = 0;
};

}  // namespace moldau::metrics
