#include "config/environment.h"

#include <gtest/gtest.h>

namespace moldau::config {
namespace {

Result<Environment> read(std::initializer_list<std::string_view> variables) {
  return read_environment({variables.begin(), variables.size()});
}

TEST(Environment, NamesBecomeKeysByTheRulesOfKafkasImage) {
  const auto env = read({"KAFKA_LOG_RETENTION_MS=1", "KAFKA_LISTENER_NAME_TC___0_MAX_CONNECTIONS=2",
                         "KAFKA_A__B_C=3", "KAFKA_NODE_ID=4", "KAFKA_CFG_NODE_ID=5", "HOME=/",
                         "KAFKA_EMPTY=", "KAFKA_SASL_JAAS_CONFIG=a=b;", "NOTKAFKA_X=1", "KAFKA_NUM____X=6"});
  ASSERT_TRUE(env);
  const Properties expected = {{"log.retention.ms", "1"},
                               {"listener.name.tc-0.max.connections", "2"},
                               {"a_b.c", "3"},
                               {"node.id", "5"},
                               {"empty", ""},
                               {"sasl.jaas.config", "a=b;"},
                               {"num-.x", "6"}};
  EXPECT_EQ(env->properties, expected);
  EXPECT_FALSE(env->cluster_id);
}

TEST(Environment, WhatIsOfTheJvmIsNoKey) {
  const auto env =
      read({"KAFKA_VERSION=4.4.0", "KAFKA_HEAP_OPTS=-Xmx1G", "KAFKA_OPTS=x", "KAFKA_JMX_OPTS=x",
            "KAFKA_JMX_PORT=1", "KAFKA_JVM_PERFORMANCE_OPTS=x", "KAFKA_GC_LOG_OPTS=x", "KAFKA_LOG4J_OPTS=x",
            "KAFKA_TOOLS_LOG4J_LOGLEVEL=x", "KAFKA_JMX_HOSTNAME=x", "KAFKA_LOG4J_ROOT_LOGLEVEL=WARN",
            "KAFKA_LOG4J_LOGGERS=log=DEBUG,x,raft = INFO", "CLUSTER_ID=5L6g3nShT-eMCtK--X86sw"});
  ASSERT_TRUE(env);
  EXPECT_TRUE(env->properties.empty());
  EXPECT_EQ(env->cluster_id, "5L6g3nShT-eMCtK--X86sw");
  const std::vector<std::pair<std::string, std::string>> levels = {
      {"root", "WARN"}, {"log", "DEBUG"}, {"raft", "INFO"}};
  EXPECT_EQ(env->log_levels, levels);
}

TEST(Environment, ListenersFollowTheAdvertisedOnes) {
  auto env = read({"KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://broker:9092,X://[::1]:9093"});
  ASSERT_TRUE(env);
  EXPECT_EQ(env->properties.at("listeners"), "PLAINTEXT://0.0.0.0:9092,X://0.0.0.0:9093");
  env = read({"KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://broker:9092", "KAFKA_LISTENERS=PLAINTEXT://:1"});
  EXPECT_EQ(env->properties.at("listeners"), "PLAINTEXT://:1");
  EXPECT_FALSE(
      read({"KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://broker:9092", "KAFKA_PROCESS_ROLES=controller"}));
  env = read({"KAFKA_ADVERTISED_LISTENERS=", "KAFKA_PROCESS_ROLES=controller"});
  ASSERT_TRUE(env);
  EXPECT_FALSE(env->properties.contains("advertised.listeners"));
}

}  // namespace
}  // namespace moldau::config
