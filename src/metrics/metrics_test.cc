#include <gtest/gtest.h>

#include <cmath>

#include "metrics/prometheus_text.h"
#include "metrics/request_metrics.h"
#include "metrics/traffic.h"

namespace moldau::metrics {
namespace {

TEST(Histogram, BucketsFollowEachOtherAndGrowByAQuarter) {
  for (uint64_t us = 0; us < 100'000; ++us) {
    const size_t bucket = Histogram::bucket_of(us);
    ASSERT_LE(us, Histogram::bucket_end(bucket));
    ASSERT_TRUE(bucket == 0 || us > Histogram::bucket_end(bucket - 1)) << us;
    ASSERT_LE(static_cast<double>(Histogram::bucket_end(bucket)), 1.25 * static_cast<double>(us) + 1) << us;
  }
  EXPECT_EQ(Histogram::bucket_of(~uint64_t{0}), Histogram::kBuckets - 1);
  EXPECT_GT(Histogram::bucket_end(Histogram::kBuckets - 2), uint64_t{1800} * 1'000'000);
}

TEST(Histogram, QuantilesOfWhatCameSince) {
  Histogram h;
  EXPECT_FALSE(h.quantile_us(0.5));
  for (int64_t us = 1; us <= 1000; ++us) h.add(us);
  h.add(-5);  // a clock that stands still
  EXPECT_NEAR(static_cast<double>(*h.quantile_us(0.5)), 500, 125);
  EXPECT_NEAR(static_cast<double>(*h.quantile_us(0.99)), 990, 250);
  EXPECT_EQ(h.count(), 1001u);
  EXPECT_EQ(h.sum_us(), 500'500u);
  EXPECT_EQ(h.count_up_to(3), 4u);
  const Histogram before = h;
  h.add(1'000'000);
  EXPECT_EQ(h.since(before).count(), 1u);
  EXPECT_GE(*h.since(before).quantile_us(0.5), 1'000'000u);
  Histogram both = before;
  both.merge(h);
  EXPECT_EQ(both.count(), 2003u);
}

TEST(RequestMetrics, CountsByApiAndIgnoresWhatIsNone) {
  RequestMetrics metrics;
  metrics.answered(3, 10, 20, 5);
  metrics.answered(3, 1, 2, 5);
  metrics.answered(0, 7, 7, 7);
  metrics.answered(-1, 7, 7, 7);
  metrics.answered(32000, 7, 7, 7);
  std::vector<int16_t> keys;
  metrics.for_each([&](int16_t key, const ApiCounters& api) {
    keys.push_back(key);
    if (key != 3) return;
    EXPECT_EQ(api.bytes_in, 11u);
    EXPECT_EQ(api.bytes_out, 22u);
    EXPECT_EQ(api.requests(), 2u);
  });
  EXPECT_EQ(keys, (std::vector<int16_t>{0, 3}));
}

TEST(FetchCounters, ForgetTopicsButNotWhatTheyHad) {
  FetchCounters counters;
  counters.answered({0, 1}, 100, false);
  counters.answered({0, 2}, 10, true);
  counters.keep_only([](const Uuid& id) { return id.low == 2; });
  EXPECT_EQ(counters.by_topic().size(), 1u);
  EXPECT_EQ(counters.total().bytes, 110u);
  EXPECT_EQ(counters.total().failed, 1u);
}

TEST(PrometheusText, WritesTheFormat) {
  PrometheusText out;
  out.family("a_total", "counter", "what it is");
  out.sample().value(uint64_t{18446744073709551615u});
  out.sample().label("topic", "a\"b\\c\nd").label("partition", 5).value(int64_t{-1});
  out.family("b", "summary", "more");
  out.sample("_sum").value(0.25);
  out.sample().label("quantile", "0.5").value(std::nan(""));
  EXPECT_EQ(out.take(),
            "# HELP a_total what it is\n# TYPE a_total counter\n"
            "a_total 18446744073709551615\n"
            "a_total{topic=\"a\\\"b\\\\c\\nd\",partition=\"5\"} -1\n"
            "# HELP b more\n# TYPE b summary\n"
            "b_sum 0.25\n"
            "b{quantile=\"0.5\"} NaN\n");
}

}  // namespace
}  // namespace moldau::metrics
