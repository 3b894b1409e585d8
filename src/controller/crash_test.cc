// Crash at every step; the outcomes are a table in docs/CONTROLLER.md (documentation_test.cc).
#include <gtest/gtest.h>

#include "controller/testdata/crash_table.h"

namespace moldau {
namespace {

class CrashTest : public testing::TestWithParam<test::CrashOperation> {};

TEST_P(CrashTest, S106_S108_S110_completes_or_is_undone) {
  test::CrashExploration exploration;
  const auto rows = exploration.explore(GetParam());
  EXPECT_FALSE(rows.empty());
  for (const std::string& fault : exploration.faults) ADD_FAILURE() << fault;
}

INSTANTIATE_TEST_SUITE_P(Operations, CrashTest, testing::ValuesIn(test::crash_operations()),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

// A transaction of the metadata log that was left open is as if it had never been.
TEST(CrashTransaction, an_atomic_plan_that_needs_several_batches_is_all_or_nothing) {
  for (size_t step = 0; step < 4; ++step) {
    test::ClusterInvariants invariants;
    test::FakeCluster c([&](const test::FakeCluster& now) { invariants.check(now); });
    c.start({1, 2, 3});
    c.settle();
    c.crash_at(step, test::FakeCluster::Crash::kAfterCommit);
    test::create(c, "n", {}, 3, 3);  // Begin, 2 records, 2 records, End
    EXPECT_TRUE(c.crashed());
    c.failover();
    EXPECT_EQ(c.image().topic("n") != nullptr, step == 3) << step;
    test::create(c, "n", {}, 3, 3);
    c.settle();
    EXPECT_NE(test::partition(c, "n", 2), nullptr);
    invariants.check_replay(c);
    EXPECT_TRUE(invariants.faults.empty()) << invariants.faults[0];
  }
}

}  // namespace
}  // namespace moldau
