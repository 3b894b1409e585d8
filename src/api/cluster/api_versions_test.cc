#include "api/cluster/api_versions.h"

#include <gtest/gtest.h>

#include "api/test_bench.h"
#include "protocol/messages/api_versions.h"

namespace moldau::api::testing {
namespace {

using protocol::ApiKey;
using protocol::ApiVersionsRequest;
using protocol::ApiVersionsResponse;

ApiVersionsRequest from(std::string_view name = "client", std::string_view version = "1.0") {
  ApiVersionsRequest request;
  request.client_software_name = name;
  request.client_software_version = version;
  return request;
}

struct ApiVersionsTest : ::testing::Test {
  ApiVersionsTest() {
    bench.images.image = TestImage()
                             .feature("transaction.version", 2)
                             .feature("share.version", 2)
                             .feature("share.version", 0)
                             .take();
  }
  TestBench bench;
};

TEST_F(ApiVersionsTest, TellsWhatIsServedHereInEveryVersion) {
  for (int16_t version = 0; version <= 5; ++version) {
    const auto response = bench.ask(from(), version);
    EXPECT_EQ(response.error_code, 0);
    ASSERT_EQ(response.api_keys.size(), routes(protocol::ListenerKind::kBroker).size());
    const auto& produce = response.api_keys[0];
    EXPECT_EQ(produce.api_key, 0);
    EXPECT_EQ(produce.min_version, 0);  // for librdkafka (KAFKA-18659)
    EXPECT_EQ(produce.max_version, 13);
  }
  TestBench controller(protocol::ListenerKind::kController);
  controller.images.image = bench.images.image;
  const auto response = controller.ask(from(), 4);
  ASSERT_EQ(response.api_keys.size(), routes(protocol::ListenerKind::kController).size());
  EXPECT_EQ(response.api_keys[0].api_key, 1);
}

TEST_F(ApiVersionsTest, UnstableVersionsAreToldIfTheyAreServed) {
  const auto last_version = [&] {
    const auto response = bench.ask(from(), 4);
    const auto at =
        std::ranges::find(response.api_keys, int16_t{22}, &ApiVersionsResponse::ApiVersion::api_key);
    return at->max_version;
  };
  EXPECT_EQ(last_version(), 5);
  bench.services.unstable_api_versions = true;
  EXPECT_EQ(last_version(), 6);
}

TEST_F(ApiVersionsTest, FeaturesFromVersion3) {
  EXPECT_TRUE(bench.ask(from(), 2).supported_features.empty());
  const auto third = bench.ask(from(), 3);
  ASSERT_EQ(third.supported_features.size(), 1u);  // the others begin with 0
  EXPECT_EQ(third.supported_features[0].name, "metadata.version");
  const auto fourth = bench.ask(from(), 4);
  EXPECT_EQ(fourth.supported_features.size(), supported_features().size());
  ASSERT_EQ(fourth.finalized_features.size(), 2u);
  EXPECT_EQ(fourth.finalized_features[0].name, "metadata.version");
  EXPECT_EQ(fourth.finalized_features[0].max_version_level, 33);
  EXPECT_EQ(fourth.finalized_features[1].name, "transaction.version");
  EXPECT_EQ(fourth.finalized_features_epoch, bench.images.image->offset().value);
}

TEST_F(ApiVersionsTest, RemembersTheClientsSoftware) {
  bench.ask(from("librdkafka", "2.3.0"), 3);
  EXPECT_EQ(bench.peer->client_software, "librdkafka");
  EXPECT_EQ(bench.peer->client_version, "2.3.0");
}

TEST_F(ApiVersionsTest, NamesOfSoftwareHaveLettersAndDigitsAndDotsAndDashesBetween) {
  for (const auto& [name, version] :
       {std::pair{"", "1"}, {"a", ""}, {"-a", "1"}, {"a-", "1"}, {"a_b", "1"}, {"a", "1 x"}})
    EXPECT_EQ(bench.ask(from(name, version), 3).error_code, 42) << name << " " << version;
  for (const auto& [name, version] : {std::pair{"a", "1"}, {"a.b-c", "1.0"}, {"a..b", "1"}})
    EXPECT_EQ(bench.ask(from(name, version), 3).error_code, 0) << name << " " << version;
  EXPECT_EQ(bench.ask(from("", ""), 2).error_code, 0);
}

TEST_F(ApiVersionsTest, AClientThatIsElsewhereIsSentBackToItsBootstrapServers) {
  const auto error = [](TestBench& at, std::optional<std::string_view> cluster, int32_t node) {
    ApiVersionsRequest request = from();
    request.cluster_id = cluster;
    request.node_id = node;
    const auto response = at.ask(request, 5);
    EXPECT_EQ(response.api_keys.empty(), response.error_code != 0);
    return response.error_code;
  };
  EXPECT_EQ(error(bench, "cluster", 1), 0);
  EXPECT_EQ(error(bench, "cluster", 2), 129);
  EXPECT_EQ(error(bench, "other", 1), 129);
  EXPECT_EQ(error(bench, "cluster", -1), 42);
  EXPECT_EQ(error(bench, std::nullopt, 1), 42);
  TestBench controller(protocol::ListenerKind::kController);
  EXPECT_EQ(error(controller, "other", 7), 0);
  EXPECT_EQ(error(controller, std::nullopt, 7), 42);
}

TEST_F(ApiVersionsTest, AVersionThatIsAheadOfUsIsAnsweredInVersion0) {
  const uint8_t frame[] = {0, 18, 0, 99, 0, 0, 0, 77, 0xff, 0xff, 0, 1, 2, 3};
  const uint64_t ticket = bench.send_frame(frame);
  const auto response = bench.answer<ApiVersionsResponse>(ticket, 0);
  EXPECT_EQ(response.error_code, 35);
  ASSERT_EQ(response.api_keys.size(), 1u);
  EXPECT_EQ(response.api_keys[0].api_key, 18);
  EXPECT_EQ(response.api_keys[0].min_version, 0);
  EXPECT_EQ(response.api_keys[0].max_version, 5);
}

}  // namespace
}  // namespace moldau::api::testing
