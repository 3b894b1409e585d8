#include "controller/under_replicated.h"

#include <gtest/gtest.h>

#include "config/keys.h"
#include "config/value.h"
#include "metadata/image_replay.h"
#include "protocol/metadata/config_record.h"
#include "protocol/metadata/feature_level_record.h"

namespace moldau {
namespace {

constexpr std::string_view kName = "enable.under.replicated.topic.creation";

TEST(UnderReplicated, S13_S15_the_option_is_a_known_key_and_off_by_default) {
  const config::Key* key = config::find(config::broker_keys(), kName);
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(key->type, config::Type::kBoolean);
  EXPECT_EQ(key->default_value, "false");
  EXPECT_EQ(key->importance, "medium");
  EXPECT_EQ(key->update, config::UpdateMode::kClusterWide);
  EXPECT_TRUE(config::validate(*key, "true"));
  EXPECT_EQ(config::validate(*key, "x").error().code, ErrorCode::kInvalidConfig);
}

TEST(UnderReplicated, S14_S23_the_nearest_setting_counts) {
  ImageReplay replay;
  ControllerOptions options;
  options.node_id = BrokerId(7);
  int64_t offset = 0;
  const auto set = [&](std::string_view broker, std::optional<std::string_view> value) {
    RecordBuffer records;
    records.add(
        protocol::ConfigRecord{.resource_type = 4, .resource_name = broker, .name = kName, .value = value},
        0);
    EXPECT_TRUE(replay.replay(records[0], {Offset(offset++), LeaderEpoch(1)}));
    return creates_under_replicated(replay.image(), options);
  };
  EXPECT_FALSE(creates_under_replicated(replay.image(), options));
  options.broker_configs[std::string(kName)] = "true";
  EXPECT_TRUE(creates_under_replicated(replay.image(), options)) << "server.properties";
  EXPECT_FALSE(set("", "false")) << "all brokers, while they run";
  EXPECT_FALSE(set("8", "true")) << "another node's doesn't count";
  EXPECT_TRUE(set("7", "true")) << "this node, while it runs";
  EXPECT_FALSE(set("7", std::nullopt));
  EXPECT_TRUE(set("", std::nullopt));
}

}  // namespace
}  // namespace moldau
