// One of two log.dirs fails under a whole node: its partitions go, the others stay.
#include <gtest/gtest.h>

#include <set>

#include "protocol/messages/create_topics.h"
#include "protocol/messages/produce.h"
#include "record/batch_builder.h"
#include "sim/cluster/kafka_connection.h"
#include "sim/cluster/node_process.h"

namespace moldau::sim {
namespace {

using namespace std::chrono_literals;

constexpr int kPartitions = 6;

struct DirectoryFailure : ::testing::Test {
  SimWorld world{{.seed = 11}};
  SimNode& node = world.add_node("broker",
                                 [](io::Runtime& runtime) {
                                   auto properties = single_node_properties("broker");
                                   properties["log.dirs"] = "/one,/two";
                                   properties["broker.heartbeat.interval.ms"] = "500";
                                   return std::make_unique<NodeProcess>(runtime, std::move(properties));
                                 },
                                 {.lanes = 2, .disk = {}});
  SimNode& client = world.add_node("client");

  NodeProcess& process() { return node.process<NodeProcess>(); }
  void SetUp() override {
    ASSERT_TRUE(world.run_until([&] { return process().is_running(); }, 30s));
    protocol::CreateTopicsRequest request;
    request.timeout_ms = 30000;
    auto& topic = request.topics.emplace_back();
    topic.name = "t";
    topic.num_partitions = kPartitions;
    topic.replication_factor = 1;
    const auto reply = call(request, 7);
    ASSERT_TRUE(reply && reply->message.topics[0].error_code == 0);
    for (int p = 0; p < kPartitions; ++p) {
      ASSERT_EQ(produce(p), ErrorCode::kNone);
      if (*node.disk().exists("/two/t-" + std::to_string(p))) in_two.insert(p);
    }
    ASSERT_FALSE(in_two.empty());
    ASSERT_LT(in_two.size(), static_cast<size_t>(kPartitions));
  }
  template <class Request>
  std::optional<Reply<typename Request::Response>> call(const Request& request, int16_t version) {
    std::optional<Reply<typename Request::Response>> answer;
    bool done = false;
    client.post([&] {
      KafkaConnection::open(client.runtime(), *client.runtime().lanes().front(), {"broker", 9092},
                            [&](std::shared_ptr<KafkaConnection> connection) {
                              if (!connection) {
                                done = true;
                                return;
                              }
                              connection->call(request, version, [&, connection](auto reply) {
                                answer = std::move(reply), done = true;
                              });
                            });
    });
    EXPECT_TRUE(world.run_until([&] { return done; }, 60s));
    return answer;
  }
  ErrorCode produce(int partition) {
    BatchBuilder builder({});
    builder.add(node.runtime().clock().wall_ms(), std::nullopt, as_bytes("value"));
    const std::string batch = builder.build();
    protocol::ProduceRequest request;
    request.acks = -1;
    request.timeout_ms = 10000;
    auto& topic = request.topic_data.emplace_back();
    topic.name = "t";
    auto& part = topic.partition_data.emplace_back();
    part.index = partition;
    part.records = protocol::Records(as_bytes(batch));
    const auto reply = call(request, 9);
    if (!reply) return ErrorCode::kNetworkException;
    return static_cast<ErrorCode>(reply->message.responses[0].partition_responses[0].error_code);
  }
  std::set<int> in_two;
};

TEST_F(DirectoryFailure, TakesOnlyItsPartitionsOffline) {
  node.disk().inject({.call = DiskCall::kWrite, .path_part = "/two/", .times = kSticky});
  for (int round = 0; round < 3; ++round)
    for (int p = 0; p < kPartitions; ++p) {
      const ErrorCode error = produce(p);
      if (!in_two.contains(p)) {
        EXPECT_EQ(error, ErrorCode::kNone) << p;
      } else {
        EXPECT_EQ(error, ErrorCode::kKafkaStorageError) << p;
      }
    }
  world.run_for(5s);  // the controller has heard of it
  EXPECT_TRUE(process().is_running());
  EXPECT_FALSE(process().failure()) << process().failure()->message;

  // The stop of a node with a broken directory is clean only for the others.
  node.post([&] { process().stop(); });
  ASSERT_TRUE(world.run_until([&] { return process().has_stopped(); }, 60s));
  EXPECT_TRUE(*node.disk().exists("/one/.kafka_cleanshutdown"));
  EXPECT_FALSE(*node.disk().exists("/two/.kafka_cleanshutdown"));

  // The next start has a disk that works again.
  node.disk().clear_faults();
  world.restart(node, Crash::kProcessKill);
  ASSERT_TRUE(world.run_until([&] { return process().is_running(); }, 30s));
  for (int p = 0; p < kPartitions; ++p) EXPECT_EQ(produce(p), ErrorCode::kNone) << p;
}

TEST_F(DirectoryFailure, AtTheStartLeavesItsPartitionsOffline) {
  world.restart(node, Crash::kProcessKill);
  node.disk().inject({.call = DiskCall::kRead, .path_part = "/two/", .times = kSticky});
  ASSERT_TRUE(world.run_until([&] { return process().is_running(); }, 30s));
  for (int p = 0; p < kPartitions; ++p)
    EXPECT_EQ(produce(p), in_two.contains(p) ? ErrorCode::kKafkaStorageError : ErrorCode::kNone) << p;
  for (int p : in_two) EXPECT_FALSE(*node.disk().exists("/one/t-" + std::to_string(p))) << "begun anew";

  node.disk().clear_faults();
  world.restart(node, Crash::kProcessKill);
  ASSERT_TRUE(world.run_until([&] { return process().is_running(); }, 30s));
  for (int p = 0; p < kPartitions; ++p) EXPECT_EQ(produce(p), ErrorCode::kNone) << p;
}

TEST_F(DirectoryFailure, OfTheMetadataLogEndsTheNode) {
  node.disk().inject({.call = DiskCall::kWrite, .path_part = "/one/t-", .times = kSticky});
  for (int p = 0; p < kPartitions; ++p) (void)produce(p);
  EXPECT_TRUE(world.run_until([&] { return process().failure().has_value(); }, 10s));
}

}  // namespace
}  // namespace moldau::sim
