#include "api/cluster/describe_cluster.h"

#include <gtest/gtest.h>

#include "api/test_bench.h"
#include "protocol/messages/describe_cluster.h"

namespace moldau::api::testing {
namespace {

using protocol::DescribeClusterRequest;
using protocol::DescribeClusterResponse;
using Ids = std::vector<int32_t>;

Ids ids(const DescribeClusterResponse& response) {
  Ids ids;
  for (const auto& broker : response.brokers) ids.push_back(broker.broker_id);
  return ids;
}

TestImage nodes() {
  TestImage image;
  image.broker(1, {"PLAINTEXT"}, false, "r1").broker(2, {"PLAINTEXT"}, true).broker(3, {"OTHER"});
  image.controller(1).controller(7).controller(8, "OTHER");
  return image;
}

TEST(DescribeClusterTest, ABrokerTellsOfBrokers) {
  TestBench bench;
  bench.images.image = nodes().take();
  for (int16_t version = 0; version <= 2; ++version) {
    const auto response = bench.ask(DescribeClusterRequest{}, version);
    EXPECT_EQ(response.error_code, 0);
    EXPECT_FALSE(response.error_message);
    EXPECT_EQ(response.cluster_id, "cluster");
    EXPECT_EQ(response.endpoint_type, 1);
    EXPECT_EQ(response.cluster_authorized_operations, INT32_MIN);
    ASSERT_EQ(ids(response), Ids{1});
    EXPECT_EQ(response.brokers[0].host, "host1");
    EXPECT_EQ(response.brokers[0].port, 9001);
    EXPECT_EQ(response.brokers[0].rack, "r1");
  }
}

TEST(DescribeClusterTest, FencedBrokersAreToldWhenAskedFor) {
  TestBench bench;
  bench.images.image = nodes().take();
  DescribeClusterRequest request;
  request.include_fenced_brokers = true;
  const auto response = bench.ask(request, 2);
  EXPECT_EQ(ids(response), (Ids{1, 2}));
  EXPECT_FALSE(response.brokers[0].is_fenced);
  EXPECT_TRUE(response.brokers[1].is_fenced);
}

TEST(DescribeClusterTest, TheControllerIsAnUnfencedBrokerThatIsListed) {
  TestBench bench;
  bench.images.image = TestImage().broker(1, {"PLAINTEXT"}, true).broker(4).take();
  EXPECT_EQ(bench.ask(DescribeClusterRequest{}, 0).controller_id, 4);
  bench.images.image = TestImage().broker(3, {"OTHER"}).take();
  EXPECT_EQ(bench.ask(DescribeClusterRequest{}, 0).controller_id, -1);
  bench.images.image = TestImage().take();
  EXPECT_EQ(bench.ask(DescribeClusterRequest{}, 0).controller_id, -1);
}

TEST(DescribeClusterTest, AControllerTellsOfControllers) {
  TestBench bench(protocol::ListenerKind::kController);
  bench.peer->listener = "CONTROLLER";
  bench.images.image = nodes().take();
  bench.quorum.id = BrokerId(7);
  DescribeClusterRequest request;
  request.endpoint_type = 2;
  request.include_cluster_authorized_operations = true;
  for (int16_t version : {1, 2}) {
    const auto response = bench.ask(request, version);
    EXPECT_EQ(response.error_code, 0);
    EXPECT_EQ(response.endpoint_type, 2);
    EXPECT_EQ(ids(response), (Ids{1, 7}));
    EXPECT_EQ(response.controller_id, 7);
    EXPECT_EQ(response.brokers[1].port, 9907);
    EXPECT_FALSE(response.brokers[1].rack);
    EXPECT_EQ(response.cluster_authorized_operations, 8096);
  }
  bench.quorum.id = BrokerId(8);  // not on this listener
  EXPECT_EQ(bench.ask(request, 2).controller_id, -1);
  bench.quorum.id = kNoBroker;
  EXPECT_EQ(bench.ask(request, 2).controller_id, -1);
}

TEST(DescribeClusterTest, TheWrongKindOfEndpoint) {
  TestBench broker, controller(protocol::ListenerKind::kController);
  broker.images.image = controller.images.image = nodes().take();
  const auto ask = [](TestBench& bench, int8_t type, int16_t version) {
    DescribeClusterRequest request;
    request.endpoint_type = type;
    const auto response = bench.ask(request, version);
    EXPECT_TRUE(response.brokers.empty());
    EXPECT_EQ(response.cluster_id, "");
    EXPECT_EQ(response.controller_id, -1);
    EXPECT_TRUE(response.error_message);
    return response.error_code;
  };
  EXPECT_EQ(ask(broker, 2, 1), 114);
  EXPECT_EQ(ask(broker, 0, 1), 115);
  EXPECT_EQ(ask(broker, 7, 2), 115);
  EXPECT_EQ(ask(controller, 1, 1), 114);
  EXPECT_EQ(ask(controller, -1, 2), 115);
  EXPECT_EQ(ask(controller, 1, 0), 42);  // version 0 can only want brokers
}

TEST(DescribeClusterTest, ControllersAreUnknownAtOldMetadataVersions) {
  TestBench bench(protocol::ListenerKind::kController);
  DescribeClusterRequest request;
  request.endpoint_type = 2;
  bench.images.image = std::make_shared<ClusterImage>();
  EXPECT_EQ(bench.ask(request, 1).error_code, 35);
  bench.images.image = TestImage().feature("metadata.version", 14).take();  // 3.6-IV2
  EXPECT_EQ(bench.ask(request, 1).error_code, 35);
  bench.images.image = TestImage().feature("metadata.version", 15).take();  // 3.7-IV0
  EXPECT_EQ(bench.ask(request, 1).error_code, 0);
}

}  // namespace
}  // namespace moldau::api::testing
