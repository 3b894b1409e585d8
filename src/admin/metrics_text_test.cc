#include "admin/metrics_text.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "api/test_image.h"

namespace moldau::admin {
namespace {

using api::testing::TestImage;
using api::testing::TestPartition;
using api::testing::topic_id;

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

// Node 1 leads orders-0 and orders-2 with a replica missing, follows orders-1; nobody leads orders-3.
NodeSample sample() {
  NodeSample s;
  s.node_id = BrokerId(1);
  s.cluster_id = "c";
  s.version = "9";
  s.running = true;
  s.quorum_leader = BrokerId(1);
  s.min_insync_replicas = 2;
  s.offline_directories = 1;
  s.offline_replicas = 3;
  s.image = TestImage()
                .broker(1)
                .broker(2, {"PLAINTEXT"}, true)
                .topic("orders", 1,
                       {TestPartition{{1, 2}, {1, 2}, 1}, TestPartition{{2, 1}, {1, 2}, 2},
                        TestPartition{{2, 1}, {1}, 1}, TestPartition{{2}, {2}, -1}})
                .topic("small", 2, {TestPartition{{1}, {1}, 1}})
                .config(ConfigType::kTopic, "orders", "min.insync.replicas", "2")
                .take();
  s.lanes.resize(2);
  const auto host = [&](size_t lane, int topic, int32_t partition, int64_t size) {
    s.lanes[lane].partitions.push_back({{topic_id(topic), PartitionId(partition)},
                                        Offset(5),
                                        Offset(25),
                                        Offset(20),
                                        size,
                                        {.records = 10, .bytes = 100, .requests = 2, .failed = 1}});
  };
  host(0, 1, 2, 300);
  host(0, 1, 0, 100);
  host(1, 1, 1, 200);
  host(1, 2, 0, 7);
  for (LaneSample& lane : s.lanes) {
    lane.produced = {.records = 1000, .bytes = 5000, .requests = 9, .failed = 3};
    lane.fetched = {.bytes = 600, .requests = 4, .failed = 0};
    lane.fetched_by_topic[topic_id(1)] = {.bytes = 60, .requests = 2, .failed = 0};
    lane.connections["PLAINTEXT"] = 3;
    lane.request_memory = 11;
    lane.request_memory_limit = 100;
    lane.apis[0].bytes_in = 8;
    lane.apis[0].total_time.add(900);
  }
  s.process.open_fds = 17;
  return s;
}

TEST(MetricsText, HasTheNamesThatDashboardsQuery) {
  const NodeSample s = sample();
  RequestWindow requests;
  requests.update(s.lanes, Instant{});
  const std::string text = metrics_text(s, requests);
  for (const char* line : {
           "kafka_server_brokertopicmetrics_messagesin_total 2000",
           "kafka_server_brokertopicmetrics_messagesin_total{topic=\"orders\"} 30",
           "kafka_server_brokertopicmetrics_bytesin_total{topic=\"small\"} 100",
           "kafka_server_brokertopicmetrics_bytesout_total 1200",
           "kafka_server_brokertopicmetrics_bytesout_total{topic=\"orders\"} 120",
           "kafka_server_brokertopicmetrics_totalproducerequests_total 18",
           "kafka_server_brokertopicmetrics_failedproducerequests_total 6",
           "kafka_server_brokertopicmetrics_totalfetchrequests_total 8",
           "kafka_server_brokertopicmetrics_failedfetchrequests_total 0",
           "kafka_server_replicamanager_partitioncount 4",
           "kafka_server_replicamanager_leadercount 3",
           "kafka_server_replicamanager_underreplicatedpartitions 1",
           "kafka_server_replicamanager_underminisrpartitioncount 1",
           "kafka_server_replicamanager_atminisrpartitioncount 2",
           "kafka_server_replicamanager_offlinereplicacount 3",
           "kafka_log_logmanager_offlinelogdirectorycount 1",
           "kafka_controller_kafkacontroller_activecontrollercount 1",
           "kafka_controller_kafkacontroller_offlinepartitionscount 1",
           "kafka_controller_kafkacontroller_globaltopiccount 2",
           "kafka_controller_kafkacontroller_globalpartitioncount 5",
           "kafka_controller_kafkacontroller_activebrokercount 1",
           "kafka_controller_kafkacontroller_fencedbrokercount 1",
           "kafka_controller_kafkacontroller_preferredreplicaimbalancecount 1",
           "kafka_cluster_partition_underminisr{topic=\"orders\",partition=\"2\"} 1",
           "kafka_cluster_partition_atminisr{topic=\"orders\",partition=\"0\"} 1",
           "kafka_server_socket_server_metrics_connection_count{listener=\"PLAINTEXT\",networkProcessor="
           "\"1\"} 3",
           "kafka_log_log_size{topic=\"orders\",partition=\"1\"} 200",
           "kafka_log_log_logendoffset{topic=\"orders\",partition=\"1\"} 25",
           "kafka_topic_partitions{topic=\"orders\"} 4",
           "kafka_topic_partition_current_offset{topic=\"small\",partition=\"0\"} 20",
           "kafka_topic_partition_oldest_offset{topic=\"small\",partition=\"0\"} 5",
           "kafka_topic_partition_leader{topic=\"orders\",partition=\"3\"} -1",
           "kafka_topic_partition_leader_is_preferred{topic=\"orders\",partition=\"2\"} 0",
           "kafka_topic_partition_under_replicated_partition{topic=\"orders\",partition=\"2\"} 1",
           "kafka_network_requestmetrics_requests_total{request=\"Produce\"} 2",
           "kafka_network_requestmetrics_totaltimems_count{request=\"Produce\"} 2",
           "moldau_request_duration_seconds_bucket{request=\"Produce\",le=\"0.0005\"} 0",
           "moldau_request_duration_seconds_bucket{request=\"Produce\",le=\"0.0025\"} 2",
           "moldau_request_memory_bytes 22",
           "kafka_brokers 2",
           "kafka_broker_info{id=\"2\",address=\"host2:9002\"} 1",
           "process_open_fds 17",
           "moldau_build_info{version=\"9\"} 1",
           "moldau_ready 1",
       })
    EXPECT_TRUE(has_line(text, line)) << line;
  EXPECT_EQ(text.find("orders\",partition=\"1\"} 1\nkafka_cluster"), std::string::npos)
      << "of orders-1 its leader tells";
}

TEST(MetricsText, EachFamilyStandsTogetherOnce) {
  const NodeSample s = sample();
  RequestWindow requests;
  requests.update(s.lanes, Instant{});
  std::istringstream lines(metrics_text(s, requests));
  std::set<std::string> families;
  std::string family;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# HELP ")) {
      family = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_TRUE(families.insert(family).second) << family;
    } else {
      EXPECT_TRUE(line.starts_with(line[0] == '#' ? "# TYPE " + family : family)) << line;
    }
  }
  EXPECT_GT(families.size(), 50u);
}

TEST(MetricsText, ANodeThatStartsHasOnlyItsProcess) {
  NodeSample s;
  s.version = "9";
  const std::string text = metrics_text(s, RequestWindow{});
  EXPECT_TRUE(has_line(text, "moldau_ready 0"));
  EXPECT_EQ(text.find("kafka_topic"), std::string::npos);
}

TEST(MetricsText, ANodeThatIsNotTheControllerLeavesTheClusterToIt) {
  NodeSample s = sample();
  s.quorum_leader = BrokerId(2);
  const std::string text = metrics_text(s, RequestWindow{});
  EXPECT_TRUE(has_line(text, "kafka_controller_kafkacontroller_activecontrollercount 0"));
  EXPECT_TRUE(has_line(text, "kafka_controller_kafkacontroller_offlinepartitionscount 0"));
  EXPECT_TRUE(has_line(text, "kafka_controller_kafkacontroller_globaltopiccount 0"));
  EXPECT_FALSE(has_line(text, "kafka_topic_partition_leader{topic=\"orders\",partition=\"3\"} -1"));
}

TEST(RequestWindow, ForgetsWhatIsOld) {
  std::vector<LaneSample> lanes(1);
  RequestWindow window;
  Instant now{};
  const auto answer = [&](int64_t us) {
    lanes[0].apis[3].total_time.add(us);
    window.update(lanes, now);
  };
  answer(10);
  EXPECT_EQ(window.recent(3).count(), 1u);
  now += RequestWindow::kStep;
  answer(20);
  EXPECT_EQ(window.recent(3).count(), 2u);
  now += RequestWindow::kStep;
  answer(30);
  EXPECT_EQ(window.recent(3).count(), 1u);  // since the step before
  now += 10 * RequestWindow::kStep;
  answer(40);
  EXPECT_EQ(window.recent(3).count(), 1u);  // since the last look
  EXPECT_EQ(window.total().at(3).requests(), 4u);
  EXPECT_EQ(window.recent(0).count(), 0u);
}

}  // namespace
}  // namespace moldau::admin
