// What a crash, a broken disk or a full one leaves of a log, swept over every call that a workload makes.
#include <gtest/gtest.h>

#include "log/testdata/log_node.h"

namespace moldau {
namespace {

using sim::DiskCall;
using sim::DiskFault;
using sim::Loss;
using sim::SimFileSystem;
using test::Model;
using test::Node;

constexpr int kSteps = 60;

std::unique_ptr<SimFileSystem> fresh_disk(uint64_t seed) {
  auto disk = std::make_unique<SimFileSystem>(seed);
  EXPECT_TRUE(disk->create_directories(test::kRoot));
  EXPECT_TRUE(disk->sync_dir("/"));
  return disk;
}

// Starts on the disk as the crash left it and checks; then goes on, stops cleanly and checks once more.
void recover_and_check(std::unique_ptr<SimFileSystem> disk, Model model, bool killed, uint64_t seed) {
  Node node(*disk, seed, &model);
  const auto started = node.start();
  ASSERT_TRUE(started) << started.error().message;
  node.check_recovered(killed);
}

struct Moment {
  std::unique_ptr<SimFileSystem> disk;
  Model model;
  bool killed;
};

// A crash before every call that changes the disk, in each of three ways.
class CrashSweep : public ::testing::TestWithParam<int> {};

TEST_P(CrashSweep, AtEveryCall) {
  const auto seed = static_cast<uint64_t>(GetParam());
  auto disk = fresh_disk(seed);
  Model model;
  Node node(*disk, seed, &model);
  node.allow_full_truncation();
  std::vector<Moment> moments;
  uint64_t n = 0;
  disk->observe([&](DiskCall call, const std::string&) {
    if (call == DiskCall::kRead || call == DiskCall::kStat || call == DiskCall::kList) return;
    ++n;
    const bool at_flush = call == DiskCall::kSync || call == DiskCall::kSyncDir ||
                          call == DiskCall::kRename || call == DiskCall::kTruncate;
    moments.push_back(
        {disk->after_power_loss(seed * 1000 + n, n % 3 == 0 ? Loss::kEverything : Loss::kSeeded), model,
         false});
    if (at_flush) moments.push_back({disk->after_power_loss(seed * 7777 + n, Loss::kSeeded), model, false});
    moments.push_back({disk->clone(n), model, true});
    moments.back().disk->process_kill();
  });
  ASSERT_TRUE(node.start());
  for (int i = 0; i < kSteps; ++i) {
    const auto done = node.step();
    ASSERT_TRUE(done) << done.error().message;
  }
  ASSERT_TRUE(node.stop());
  EXPECT_GT(node.appended, kSteps / 3);
  EXPECT_GT(moments.size(), 200u);
  for (size_t i = 0; i < moments.size(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", crash " + std::to_string(i));
    recover_and_check(std::move(moments[i].disk), std::move(moments[i].model), moments[i].killed, i);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, CrashSweep, ::testing::Range(1, 61));

// The n-th call fails, for every n, once or for good; then the process dies or the power goes.
struct FaultKind {
  const char* name;
  io::IoError::Kind error;
  int64_t times;
};
void PrintTo(const FaultKind& kind, std::ostream* out) {
  *out << kind.name;
}
class FaultSweep : public ::testing::TestWithParam<FaultKind> {};

TEST_P(FaultSweep, AtEveryCall) {
  constexpr uint64_t kSeed = 5;
  int64_t calls = 0;
  {
    auto disk = fresh_disk(kSeed);
    Model model;
    Node node(*disk, kSeed, &model);
    ASSERT_TRUE(node.start());
    for (int i = 0; i < kSteps; ++i) ASSERT_TRUE(node.step());
    ASSERT_TRUE(node.stop());
    calls = disk->calls();
  }
  EXPECT_GT(calls, 200);
  for (int64_t n = 0; n < calls; ++n) {
    SCOPED_TRACE(std::string(GetParam().name) + " at call " + std::to_string(n));
    auto disk = fresh_disk(kSeed);
    const int64_t skip = n;
    disk->inject({.skip = skip, .times = GetParam().times, .error = GetParam().error});
    Model model;
    {
      Node node(*disk, kSeed, &model);
      if (node.start()) {
        bool alive = true;
        for (int i = 0; i < kSteps && alive; ++i) {
          const Status done = node.step();
          if (done) continue;
          EXPECT_EQ(done.error().code, ErrorCode::kKafkaStorageError) << done.error().message;
          // A full disk may heal: the log goes on. After anything else the owner takes the directory offline.
          alive = GetParam().error == io::IoError::Kind::kNoSpace && GetParam().times == 1 &&
                  !node.log->fenced() && model.before.empty();
        }
        if (alive) (void)node.stop();
      }
    }
    disk->clear_faults();
    const bool killed = n % 2 == 0;
    if (killed)
      disk->process_kill();
    else
      disk->power_loss(Loss::kSeeded);
    recover_and_check(std::move(disk), model, killed, 1);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}
INSTANTIATE_TEST_SUITE_P(
    Kinds, FaultSweep,
    ::testing::Values(FaultKind{"io_error_once", io::IoError::Kind::kFailed, 1},
                      FaultKind{"io_error_for_good", io::IoError::Kind::kFailed, sim::kSticky},
                      FaultKind{"disk_full_once", io::IoError::Kind::kNoSpace, 1},
                      FaultKind{"disk_full_for_good", io::IoError::Kind::kNoSpace, sim::kSticky}),
    [](const auto& info) { return std::string(info.param.name); });

// Recovery itself breaks or dies at its n-th call; the next one succeeds all the same.
class NestedCrash : public ::testing::TestWithParam<int> {};

TEST_P(NestedCrash, DuringRecovery) {
  const auto seed = static_cast<uint64_t>(GetParam());
  auto disk = fresh_disk(seed);
  Model model;
  {
    Node node(*disk, seed, &model);
    ASSERT_TRUE(node.start());
    for (int i = 0; i < kSteps; ++i) ASSERT_TRUE(node.step());
  }
  auto crashed = disk->after_power_loss(seed, Loss::kSeeded);
  for (int64_t n = 0;; ++n) {
    SCOPED_TRACE("recovery's call " + std::to_string(n));
    auto again = crashed->clone(seed + static_cast<uint64_t>(n));
    again->inject({.skip = n, .times = sim::kSticky});
    bool broke = false;
    {
      Model copy = model;
      Node node(*again, seed, &copy);
      broke = !node.start();
    }
    again->clear_faults();
    if (n % 2 == 0)
      again->process_kill();
    else
      again->power_loss(Loss::kSeeded);
    recover_and_check(std::move(again), model, false, 1);
    if (HasFatalFailure() || HasNonfatalFailure() || !broke) {
      EXPECT_GT(n, 10);
      return;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, NestedCrash, ::testing::Range(1, 31));

}  // namespace
}  // namespace moldau
