#include <gtest/gtest.h>

#include "io/posix/posix_runtime.h"

namespace moldau::io {
namespace {

std::unique_ptr<PosixRuntime> one_lane() {
  return make_posix_runtime({.lanes = 1, .pin = false});
}

TEST(RunUntil, ReturnsWithTheTaskThatIsTheLastThingToDo) {
  const auto runtime = one_lane();
  bool done = false;
  runtime->lanes()[0]->post([&] { done = true; });
  runtime->run_until([&] { return done; });  // the lane would sleep for ever behind the task
  EXPECT_TRUE(done);
}

TEST(RunUntil, MayBeCalledAgain) {
  const auto runtime = one_lane();
  Lane& lane = *runtime->lanes()[0];
  Timer timer;
  for (int round = 1; round <= 3; ++round) {
    int reached = 0;
    lane.post([&] { timer = lane.after(std::chrono::microseconds(100), [&] { reached = round; }); });
    runtime->run_until([&] { return reached == round; });
    EXPECT_FALSE(lane.inside());
  }
}

TEST(RunUntil, WaitsForThePool) {
  const auto runtime = one_lane();
  bool worked = false, done = false;
  runtime->lanes()[0]->post([&] {
    runtime->pool().run(
        *runtime->lanes()[0], [&] { worked = true; }, [&] { done = worked; });
  });
  runtime->run_until([&] { return done; });
  EXPECT_TRUE(worked);
}

}  // namespace
}  // namespace moldau::io
