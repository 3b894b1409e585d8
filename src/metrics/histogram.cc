#include "metrics/histogram.h"

#include <algorithm>
#include <cmath>

namespace moldau::metrics {

void Histogram::merge(const Histogram& other) {
  for (size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_us_ += other.sum_us_;
}

Histogram Histogram::since(const Histogram& earlier) const {
  Histogram out = *this;
  for (size_t i = 0; i < kBuckets; ++i) out.buckets_[i] -= earlier.buckets_[i];
  out.count_ -= earlier.count_;
  out.sum_us_ -= earlier.sum_us_;
  return out;
}

std::optional<uint64_t> Histogram::quantile_us(double q) const {
  if (count_ == 0) return std::nullopt;
  const auto wanted =
      std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(q * static_cast<double>(count_))));
  uint64_t seen = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen >= wanted) return bucket_end(i);
  }
  return bucket_end(kBuckets - 1);
}

uint64_t Histogram::count_up_to(uint64_t microseconds) const {
  uint64_t seen = 0;
  for (size_t i = 0; i < kBuckets && bucket_end(i) <= microseconds; ++i) seen += buckets_[i];
  return seen;
}

}  // namespace moldau::metrics
