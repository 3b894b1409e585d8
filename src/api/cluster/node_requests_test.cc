#include "api/cluster/node_requests.h"

#include <gtest/gtest.h>

#include "api/test_bench.h"

namespace moldau::api::testing {
namespace {

struct NodeRequestsTest : ::testing::Test {
  TestBench bench{protocol::ListenerKind::kController};
};

TEST_F(NodeRequestsTest, AHeartbeatIsTheControllersToAnswer) {
  protocol::BrokerHeartbeatRequest request;
  request.broker_id = 4;
  const uint64_t ticket = bench.send(request, 2);
  ASSERT_EQ(bench.controller.heartbeats.size(), 1u);
  EXPECT_EQ(bench.controller.heartbeats[0].request.message.broker_id, 4);
  protocol::BrokerHeartbeatResponse said;
  said.is_caught_up = true;
  said.is_fenced = false;
  bench.controller.heartbeats[0].succeed(said);
  const auto response = bench.answer<protocol::BrokerHeartbeatResponse>(ticket, 2);
  EXPECT_TRUE(response.is_caught_up);
  EXPECT_FALSE(response.is_fenced);
}

TEST_F(NodeRequestsTest, ARefusalIsACode) {
  const uint64_t ticket = bench.send(protocol::AlterPartitionRequest{}, 3);
  bench.controller.isr_changes.at(0).refuse(ErrorCode::kStaleBrokerEpoch, "words");
  EXPECT_EQ(bench.answer<protocol::AlterPartitionResponse>(ticket, 3).error_code,
            static_cast<int16_t>(ErrorCode::kStaleBrokerEpoch));
}

TEST_F(NodeRequestsTest, TheVersionReachesTheController) {
  bench.send(protocol::AlterPartitionRequest{}, 2);
  bench.runtime.settle();
  EXPECT_EQ(bench.controller.isr_changes.at(0).caller.version, 2);
}

TEST_F(NodeRequestsTest, BrokersListenersDontServeThem) {
  TestBench broker;
  const uint64_t ticket = broker.send(protocol::BrokerRegistrationRequest{}, 4);
  EXPECT_EQ(broker.outcome(ticket).kind, Outcome::Kind::kClosed);
  EXPECT_TRUE(broker.controller.registrations.empty());
}

TEST_F(NodeRequestsTest, UnregistrationIsRefusedInWords) {
  const uint64_t ticket = bench.send(protocol::UnregisterBrokerRequest{}, 0);
  bench.controller.unregistrations.at(0).refuse(ErrorCode::kBrokerIdNotRegistered, "no such broker");
  const auto response = bench.answer<protocol::UnregisterBrokerResponse>(ticket, 0);
  EXPECT_EQ(response.error_code, static_cast<int16_t>(ErrorCode::kBrokerIdNotRegistered));
  EXPECT_EQ(response.error_message, "no such broker");
}

}  // namespace
}  // namespace moldau::api::testing
