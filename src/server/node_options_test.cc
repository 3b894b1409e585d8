#include "server/node_options.h"

#include <gtest/gtest.h>

namespace moldau::server {
namespace {

config::Properties with(std::initializer_list<std::pair<const std::string, std::string>> changes) {
  config::Properties p = default_properties();
  for (const auto& [key, value] : changes) p.insert_or_assign(key, value);
  return p;
}

TEST(NodeOptions, TheDefaultsStartOneNodeForBothRoles) {
  const auto options = parse_node_options(default_properties());
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->node_id, BrokerId(1));
  EXPECT_TRUE(options->is_broker && options->is_controller);
  ASSERT_EQ(options->listeners.size(), 2u);
  ASSERT_EQ(options->advertised.size(), 1u);
  EXPECT_EQ(options->advertised[0].address, (io::Endpoint{"127.0.0.1", 9092}));
  EXPECT_EQ(options->log_dirs, std::vector<std::string>{"data"});
  EXPECT_EQ(options->inter_broker_listener_name, "PLAINTEXT");
  EXPECT_TRUE(options->warnings.empty());
  EXPECT_EQ(options->integer("num.partitions"), 1);
}

TEST(NodeOptions, TheOneNodeVotesForItselfUnderItsId) {
  const auto voters = [](config::Properties given) {
    return default_properties(std::move(given)).find("controller.quorum.voters")->second;
  };
  EXPECT_EQ(voters({}), "1@127.0.0.1:9093");
  EXPECT_EQ(voters({{"node.id", "7"}, {"listeners", "PLAINTEXT://:1,CONTROLLER://localhost:2"}}),
            "7@localhost:2");
  EXPECT_EQ(voters({{"broker.id", "3"}, {"listeners", "PLAINTEXT://:1,CONTROLLER://localhost:0"}}),
            "3@127.0.0.1:9093");
  EXPECT_EQ(voters({{"controller.quorum.voters", "4@h:5"}}), "4@h:5");
  EXPECT_TRUE(parse_node_options(default_properties({{"broker.id", "3"}})));
  EXPECT_FALSE(parse_node_options(default_properties({{"broker.id", "3"}, {"node.id", "4"}})));
}

TEST(NodeOptions, AnUnknownKeyIsOneWarningWithASuggestion) {
  const auto options =
      parse_node_options(with({{"num.partition", "3"}, {"listener.name.plaintext.max.connections", "5"}}));
  ASSERT_TRUE(options);
  ASSERT_EQ(options->warnings.size(), 1u);
  EXPECT_NE(options->warnings[0].find("did you mean num.partitions?"), std::string::npos);
}

TEST(NodeOptions, AKeyWithoutEffectIsOneWarningWithTheReason) {
  const auto options = parse_node_options(with({{"num.io.threads", "16"},      // no effect
                                                {"num.network.threads", "3"},  // its default
                                                {"ssl.key.password", "secret"}}));
  ASSERT_TRUE(options);
  ASSERT_EQ(options->warnings.size(), 2u);
  EXPECT_EQ(options->warnings[0], "num.io.threads=16 has no effect: one thread a core does all work");
  EXPECT_EQ(options->warnings[1].find("secret"), std::string::npos);
}

TEST(NodeOptions, ListenersOfEveryShape) {
  const auto options = parse_node_options(
      with({{"listeners", "PLAINTEXT://:9092,tc-0://[::1]:9094,CONTROLLER://localhost:9093"},
            {"advertised.listeners", "PLAINTEXT://broker.example:19092,TC-0://[::1]:9094"},
            {"listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,TC-0:PLAINTEXT"}}));
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->listeners[0].address, (io::Endpoint{"", 9092}));
  EXPECT_EQ(options->listeners[1].name, "TC-0");
  EXPECT_EQ(options->listeners[1].address, (io::Endpoint{"::1", 9094}));
  EXPECT_EQ(options->advertised[0].address, (io::Endpoint{"broker.example", 19092}));
}

TEST(NodeOptions, AControllerAloneHasNoListenersForClients) {
  const auto options = parse_node_options(
      with({{"process.roles", "controller"}, {"listeners", "CONTROLLER://127.0.0.1:9093"}}));
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_FALSE(options->is_broker);
  EXPECT_EQ(options->listeners.size(), 1u);
  EXPECT_TRUE(options->advertised.empty());
}

struct Refusal {
  config::Properties given;
  const char* says;
};

TEST(NodeOptions, ARefusalNamesTheKeyTheValueAndTheWayOut) {
  const Refusal cases[] = {
      {with({{"num.partitions", "0"}}), "num.partitions: Value must be at least 1"},
      {with({{"listeners", "PLAINTEXT://127.0.0.1"}}), "a port is missing"},
      {with({{"listeners", "127.0.0.1:9092"}}), "NAME://host:port"},
      {with({{"listeners", "PLAINTEXT://h:9092,PLAINTEXT://h:9093"}}), "different name"},
      {with({{"listeners", "PLAINTEXT://h:9092,CONTROLLER://h:9092"}}), "different port"},
      {with({{"listeners", "PLAINTEXT://h:9092"}}), "controller.listener.names=CONTROLLER names no listener"},
      {with({{"listeners", "OTHER://h:9092,CONTROLLER://h:1"}}), "no security protocol is given for OTHER"},
      {with({{"listeners", "SSL://h:9092,CONTROLLER://h:1"}, {"inter.broker.listener.name", "SSL"}}),
       "asks for SSL, which is not supported yet"},
      {with({{"listeners", "OUT://h:9092,CONTROLLER://h:1"},
             {"listener.security.protocol.map", "OUT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT"},
             {"inter.broker.listener.name", "OUT"}}),
       "asks for SASL_PLAINTEXT, which is not supported yet"},
      {with({{"listeners", "PLAINTEXT://::1:9092,CONTROLLER://h:1"}}), "an IPv6 address stands in brackets"},
      {with({{"remote.log.storage.system.enable", "true"}}), "tiered storage is not supported"},
      {with({{"config.providers", "file"}}), "providers can't be loaded"},
      {with({{"listeners", "PLAINTEXT://0.0.0.0:9092,CONTROLLER://h:1"}}),
       "advertised.listeners can't be 0.0.0.0:9092"},
      {with({{"controller.quorum.voters", "2@h:1"}}), "node.id=1 is not in controller.quorum.voters"},
      {with({{"controller.quorum.voters", "x@h:1"}}), "id@host:port"},
      {with({{"controller.quorum.voters", "1@h:1,2@h:2"}}), "not supported yet"},
      {with({{"process.roles", "controller"}}), "names a listener that isn't in controller.listener.names"},
      {with({{"process.roles", "broker"},
             {"listeners", "PLAINTEXT://h:9092"},
             {"controller.quorum.voters", "2@h:1"}}),
       "brokers apart from controllers, and several controllers, are not supported yet"},
      {with({{"log.dirs", ""}}), "log.dirs"},
      {{}, "process.roles is missing"},
      {{{"process.roles", "broker"}}, "node.id is missing"},
      {with({{"process.roles", "boss"}}), "String must be one of: broker, controller"},
      {with({{"offsets.topic.compression.codec", "5"}}), "names no codec"},
      {with({{"authorizer.class.name", "org.x.Authorizer"}}), "ACLs are not supported yet"},
  };
  for (const Refusal& c : cases) {
    const auto options = parse_node_options(c.given);
    ASSERT_FALSE(options) << c.says;
    EXPECT_NE(options.error().message.find(c.says), std::string::npos) << options.error().message;
  }
}

}  // namespace
}  // namespace moldau::server
