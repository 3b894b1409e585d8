// The commands, whole, against a simulated node: what is printed, and with which exit code.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/client/socket_wire.h"
#include "cli/client_command.h"
#include "sim/cluster/node_process.h"
#include "sim/sim_world.h"

namespace moldau::cli {
namespace {

struct Outcome {
  int code;
  std::string out, err;
};

class Commands : public ::testing::Test {
 protected:
  Commands() : world_(sim::WorldOptions{}) {
    broker_ = &world_.add_node("broker", [](io::Runtime& runtime) {
      return std::make_unique<sim::NodeProcess>(runtime, sim::single_node_properties("broker"));
    });
    client_ = &world_.add_node("client");
    world_.run_until([this] { return broker_->process<sim::NodeProcess>().is_running(); },
                     std::chrono::minutes(1));
  }

  Outcome run(const std::string& line, const std::string& input = "", const std::string& at = "broker:9092") {
    std::istringstream words(line), in(input);
    std::string name;
    words >> name;
    std::vector<std::string> args;
    for (std::string word; words >> word;) args.push_back(word);
    if (!at.empty()) args.insert(args.end(), {"--bootstrap-server", at});
    std::ostringstream out, err;
    const ClientCommand* command = find_client_command(name);
    EXPECT_NE(command, nullptr) << name;
    const Surroundings surroundings{.connect = [this]() -> std::unique_ptr<Wire> {
                                      return std::make_unique<SocketWire>(
                                          client_->runtime(), [this](const std::function<bool()>& done) {
                                            ASSERT_TRUE(world_.run_until(done, std::chrono::minutes(10)));
                                          });
                                    },
                                    .wall_ms = [this] { return client_->runtime().clock().wall_ms(); },
                                    .version = "1",
                                    .in = in,
                                    .out = out,
                                    .err = err};
    const int code = run_client_command(*command, args, surroundings);
    return {code, out.str(), err.str()};
  }
  Outcome done(const std::string& line, const std::string& input = "") {
    Outcome outcome = run(line, input);
    EXPECT_EQ(outcome.code, 0) << line << ": " << outcome.err;
    EXPECT_EQ(outcome.err, "") << line;
    return outcome;
  }
  void refused(const std::string& line, int code, const std::string& says, const std::string& input = "",
               const std::string& at = "broker:9092") {
    const Outcome outcome = run(line, input, at);
    EXPECT_EQ(outcome.code, code) << line;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << line << ": " << outcome.err;
  }

  sim::SimWorld world_;
  sim::SimNode* broker_;
  sim::SimNode* client_;
};

std::string without_ids(std::string text) {
  for (size_t at = 0; (at = text.find("\"id\":\"", at)) != text.npos; at += 7) text.replace(at + 6, 22, "-");
  return text;
}

TEST_F(Commands, ATopicFromCreationToDeletion) {
  EXPECT_EQ(
      without_ids(done("topic create orders --partitions 2 --config retention.ms=5000 --format json").out),
      R"([{"topic":"orders","id":"-","partitions":2,"replication_factor":1}])"
      "\n");
  EXPECT_EQ(done("topic list").out,
            "TOPIC   PARTITIONS  REPLICATION-FACTOR  INTERNAL\n"
            "orders           2                   1  no\n");
  done("produce orders --partition 1", "a\nb\n");
  EXPECT_EQ(
      without_ids(done("topic describe orders --format json").out),
      R"([{"topic":"orders","id":"-","internal":false,"partition_count":2,"replication_factor":1,)"
      R"("configs":["retention.ms=5000"],"partitions":[)"
      R"({"partition":0,"leader":1,"leader_epoch":0,"replicas":[1],"isr":[1],"offline":[],"start_offset":0,"end_offset":0},)"
      R"({"partition":1,"leader":1,"leader_epoch":0,"replicas":[1],"isr":[1],"offline":[],"start_offset":0,"end_offset":2}]}])"
      "\n");
  EXPECT_EQ(done("topic describe --under-replicated --format json").out, "[]\n");
  EXPECT_EQ(done("topic delete orders --format json").out, "[{\"topic\":\"orders\"}]\n");
  EXPECT_EQ(done("topic list --format json").out, "[]\n");
}

TEST_F(Commands, WhatSomeTopicsAreRefusedForDoesNotConcernTheOthers) {
  done("topic create there");
  const Outcome some = run("topic create there fresh .. --format json");
  EXPECT_EQ(some.code, 1);
  EXPECT_EQ(some.err.substr(0, 47), "moldau topic create: there: TOPIC_ALREADY_EXIST");
  EXPECT_NE(some.err.find("\nmoldau topic create: ..: INVALID_TOPIC_EXCEPTION"), std::string::npos)
      << some.err;
  EXPECT_NE(some.out.find("fresh"), std::string::npos);
  done("topic create there --if-not-exists");
  EXPECT_EQ(done("topic create only-checked --dry-run --format json").out.substr(0, 25),
            R"([{"topic":"only-checked",)");
  refused("topic describe only-checked", 1, "`moldau topic create only-checked` makes it");
  done("topic delete only-checked --if-exists");
  refused("topic delete only-checked", 1, "only-checked: UNKNOWN_TOPIC_OR_PARTITION");
  done("topic create placed --replica-assignment 1,1");
  refused("topic create misplaced --replica-assignment 1;1", 2, "as in 1:2,2:3");
  refused("topic create x --config retention.ms", 2, "must be key=value");
}

TEST_F(Commands, WhatIsProducedIsConsumed) {
  done("topic create t --partitions 2");
  EXPECT_EQ(done("produce t -k : -H a=b --null-value NULL", "k1:v1\na:NULL\nk1:v3:x\n").out,
            "TOPIC  PARTITION  RECORDS  FIRST-OFFSET  LAST-OFFSET\n"
            "t              0        1             0            0\n"
            "t              1        2             0            1\n");
  EXPECT_EQ(done("consume t:1 --exit --fields partition,offset,key,value,headers --separator |").out,
            "1|0|k1|v1|a=b\n1|1|k1|v3:x|a=b\n");
  const std::string json = done("consume t:0 --exit --format json").out;
  EXPECT_TRUE(json.starts_with(R"({"topic":"t","partition":0,"offset":0,"timestamp":1767)")) << json;
  EXPECT_TRUE(json.ends_with(R"("key":"a","value":null,"headers":[{"key":"a","value":"b"}]})"
                             "\n"))
      << json;
  done("produce t --input json -z zstd", json + json);
  EXPECT_EQ(done("consume t:0 --exit --fields offset,key").out, "0\ta\n1\ta\n2\ta\n");
  refused("produce t -k :", 1, "line 2: no key separator : in it", "a:b\nc\n");
  EXPECT_EQ(done("consume t --from -1 -e").out, "b\nv3:x\n");
}

TEST_F(Commands, ConsumingBeginsWhereItIsTold) {
  done("topic create t");
  std::string lines;
  for (int i = 0; i < 50; ++i) lines += "line-" + std::to_string(i) + "\n";
  for (const char* codec : {"none", "gzip", "snappy", "lz4", "zstd"})
    done(std::string("produce t -z ") + codec, lines);
  EXPECT_EQ(done("consume t -n 2").out, "line-0\nline-1\n");
  EXPECT_EQ(done("consume t --from 248 -e").out, "line-48\nline-49\n");
  EXPECT_EQ(done("consume t --from -3 -n 1").out, "line-47\n");
  EXPECT_EQ(done("consume t --from end -e").out, "");
  EXPECT_EQ(done("consume t --from 2000-01-01 -n 1").out, "line-0\n");
  EXPECT_EQ(done("consume t --from 2100-01-01 -e").out, "");
  EXPECT_EQ(done("consume t -e --fields offset --isolation read_committed").out.size(),
            10u * 2 + 90 * 3 + 150 * 4);
  refused("consume t --from 1000", 1, "t-0: offset 1000 is not there");
  refused("consume t --from soon", 2, "must be beginning, end");
  refused("consume t:7", 1, "topic t has no partition 7, only 0 to 0");
  refused("consume t --fields colour", 2, "must be some of topic");
  refused("consume nothing", 1, "topic nothing does not exist");
}

TEST_F(Commands, ALargeInputLeavesInSeveralRounds) {
  done("topic create t --partitions 3");
  std::string lines;
  for (int i = 0; i < 3000; ++i) lines += std::to_string(i) + std::string(1000, 'x') + "\n";
  done("produce t", lines);
  const std::string out = done("consume t -e").out;
  EXPECT_EQ(out.size(), lines.size());
  refused("produce t", 1, "MESSAGE_TOO_LARGE", std::string(2 << 20, 'x') + "\n");
}

TEST_F(Commands, TheClusterAndItsConfiguration) {
  done("topic create t --config retention.ms=5000");
  EXPECT_EQ(done("config describe topic t").out,
            "NAME  KEY           VALUE  SOURCE                READ-ONLY  SENSITIVE\n"
            "t     retention.ms  5000   DYNAMIC_TOPIC_CONFIG  no         no\n");
  EXPECT_NE(done("config describe topic t --all").out.find("cleanup.policy"), std::string::npos);
  EXPECT_NE(done("config describe broker 1").out.find("STATIC_BROKER_CONFIG"), std::string::npos);
  refused("config describe topic nothing", 1, "nothing: UNKNOWN_TOPIC_OR_PARTITION");
  refused("config describe broker one", 2, "a broker is named by its id");
  refused("config describe broker 7", 1, "no broker with this id is there");
  refused("config alter topic t", 2, "nothing to do");
  EXPECT_EQ(done("cluster brokers").out,
            "ID  HOST    PORT  RACK  CONTROLLER  FENCED  LEADERS  REPLICAS\n"
            " 1  broker  9092  -     yes         no            1         1\n");
  const std::string described = done("cluster describe --format json").out;
  EXPECT_NE(described.find(R"("topics":1,"partitions":1,"under_replicated_partitions":0,)"),
            std::string::npos);
  EXPECT_NE(described.find(R"({"feature":"metadata.version","level":)"), std::string::npos) << described;
  EXPECT_NE(done("cluster api-versions").out.find("Metadata"), std::string::npos);
  refused("cluster api-versions --broker 5", 1, "no broker 5");
}

TEST_F(Commands, HelpAndWrongUse) {
  for (const char* line :
       {"topic --help", "topic create --help", "produce --help", "group reset-offsets --help"}) {
    const Outcome help = run(line, "", "");
    EXPECT_EQ(help.code, 0) << line;
    EXPECT_NE(help.out.find("--help"), std::string::npos) << line;
  }
  EXPECT_NE(run("topic create --help", "", "").out.find("--bootstrap-server"), std::string::npos);
  for (const char* line :
       {"topic", "topic creat x", "topic create", "topic create x --partitions many", "config alter",
        "config describe tpic x", "topic list --format yaml", "group reset-offsets g"})
    EXPECT_EQ(run(line).code, 2) << line;
  refused("topic list", 2, "the port is no number", "", "broker:port");
  refused("topic list", 2, "must be host:port", "", ":9092");
}

TEST_F(Commands, SaysWhyItGetsNoAnswer) {
  refused("topic list", 1, "Start a broker there, or name another one with --bootstrap-server.", "",
          "broker:1");
  const Outcome second = run("topic list", "", "broker:1,broker:9092");
  EXPECT_EQ(second.code, 0) << second.err;

  // Servers that do what brokers don't.
  sim::SimNode& odd = world_.add_node("odd");
  std::vector<std::unique_ptr<io::Socket>> sockets;
  std::vector<std::unique_ptr<io::Listener>> listeners;
  std::string answer;
  odd.post([&] {
    const auto listen = [&](uint16_t port, io::Transport::Accepted accepted) {
      auto lanes = odd.runtime().lanes();
      listeners.push_back(
          std::move(*odd.runtime().transport().listen({"", port}, lanes.first(1), std::move(accepted))));
    };
    listen(1, [](io::Lane&, std::unique_ptr<io::Socket>) {});  // closes
    listen(2, [&](io::Lane&, std::unique_ptr<io::Socket> s) { sockets.push_back(std::move(s)); });
    listen(4, [&](io::Lane&, std::unique_ptr<io::Socket> s) {
      const Bytes alert = as_bytes(std::string_view("\x15\x03\x03\x00\x02\x02\x50", 7));
      EXPECT_TRUE(s->write_some(std::span(&alert, 1)));
      sockets.push_back(std::move(s));
    });
    listen(3, [&](io::Lane&, std::unique_ptr<io::Socket> s) {
      const Bytes text = as_bytes("HTTP/1.1 400 Bad Request\r\n\r\n");
      EXPECT_TRUE(s->write_some(std::span(&text, 1)));
      sockets.push_back(std::move(s));
    });
  });
  world_.run_for(std::chrono::seconds(1));
  refused("topic list", 1, "The listener may want TLS or SASL", "", "odd:1");
  refused("topic list --timeout 2.5", 1, "did not answer in time", "", "odd:2");
  refused("topic list", 1, "isn't the Kafka protocol", "", "odd:3");
  refused("topic list", 1, "speaks TLS", "", "odd:4");
  odd.post([&] { sockets.clear(), listeners.clear(); });
  world_.run_for(std::chrono::seconds(1));
}

}  // namespace
}  // namespace moldau::cli
