#include "api/data/producer_id_blocks.h"

#include <gtest/gtest.h>

#include "api/test_image.h"
#include "api/test_ports.h"
#include "api/test_runtime.h"

namespace moldau::api::testing {
namespace {

struct ProducerIdBlocksTest : ::testing::Test {
  ProducerIdBlocksTest() { images.image = TestImage().broker(1).take(); }

  // Asks from the lane; the result appears in `results` once it is there.
  void ask(int times = 1, int lane = 0) {
    for (int i = 0; i < times; ++i) {
      runtime.run_on(lane, [this, lane] {
        blocks.next(*runtime.lanes()[static_cast<size_t>(lane)], [this, lane](Result<ProducerId> id) {
          EXPECT_TRUE(runtime.lanes()[static_cast<size_t>(lane)]->inside());
          results.push_back(id ? id->value : -static_cast<int64_t>(id.error().code));
        });
      });
    }
  }
  void allocate(int64_t first, int32_t size, int16_t error = 0) {
    protocol::AllocateProducerIdsResponse response;
    response.error_code = error;
    response.producer_id_start = first;
    response.producer_id_len = size;
    controller.allocations.back().succeed(response);
    runtime.settle();
  }

  TestRuntime runtime{2};
  TestImages images;
  TestController controller;
  ProducerIdBlocks blocks{runtime, controller, images, BrokerId(1)};
  std::vector<int64_t> results;
};

TEST_F(ProducerIdBlocksTest, TheFirstProducersWaitForTheFirstBlock) {
  ask(2, 1);
  ask(1, 0);
  ASSERT_EQ(controller.allocations.size(), 1u);
  EXPECT_EQ(controller.allocations[0].request.message.broker_id, 1);
  EXPECT_EQ(controller.allocations[0].request.message.broker_epoch, 101);
  EXPECT_TRUE(results.empty());
  allocate(2000, 1000);
  std::ranges::sort(results);  // the lanes' order among themselves is open
  EXPECT_EQ(results, (std::vector<int64_t>{2000, 2001, 2002}));
  EXPECT_EQ(controller.allocations.size(), 1u);
}

TEST_F(ProducerIdBlocksTest, TheNextBlockIsAskedForWhenNineTenthsAreUsed) {
  ask();
  allocate(0, 100);
  ask(88);
  EXPECT_EQ(controller.allocations.size(), 1u);
  ask();
  EXPECT_EQ(controller.allocations.size(), 2u);
  ask(5);
  EXPECT_EQ(controller.allocations.size(), 2u);
  allocate(500, 100);
  ask(6);
  EXPECT_EQ(results.size(), 101u);
  EXPECT_EQ(results[99], 99);
  EXPECT_EQ(results[100], 500);
  EXPECT_EQ(controller.allocations.size(), 2u);
}

TEST_F(ProducerIdBlocksTest, ARefusalRefusesThoseWhoWaitAndHoldsOffTheNextRequest) {
  ask(2);
  allocate(0, 0, static_cast<int16_t>(ErrorCode::kStaleBrokerEpoch));
  EXPECT_EQ(results, (std::vector<int64_t>{-14, -14}));
  EXPECT_EQ(runtime.logger().lines.size(), 1u);
  ask();
  EXPECT_EQ(results.size(), 3u);
  EXPECT_EQ(controller.allocations.size(), 1u);
  runtime.advance(ProducerIdBlocks::kBackoff);
  ask();
  EXPECT_EQ(controller.allocations.size(), 2u);
  allocate(7, 10);
  EXPECT_EQ(results.back(), 7);
}

TEST_F(ProducerIdBlocksTest, ABlockThatOverlapsAnEarlierOneIsNotUsed) {
  ask();
  allocate(100, 10);
  ask(8);
  ASSERT_EQ(controller.allocations.size(), 2u);
  allocate(105, 10);
  ask();
  EXPECT_EQ(results.back(), 109);
  ask();
  EXPECT_EQ(results.back(), -14);
}

TEST_F(ProducerIdBlocksTest, BlocksThatAreNoneAreNotUsed) {
  for (const auto& [first, size] :
       {std::pair<int64_t, int32_t>{0, 0}, {-5, 10}, {INT64_MAX - 3, 10}, {4, -1}}) {
    ask();
    allocate(first, size);
    EXPECT_EQ(results.back(), -14);
    runtime.advance(ProducerIdBlocks::kBackoff);
  }
}

TEST_F(ProducerIdBlocksTest, AControllerThatIsGoneRefuses) {
  ask();
  controller.allocations.back().refuse(ErrorCode::kNotController, "gone");
  runtime.settle();
  EXPECT_EQ(results, std::vector<int64_t>{-14});
}

}  // namespace
}  // namespace moldau::api::testing
