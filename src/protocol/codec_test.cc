// What callers lean on beside the bytes: defaults, splices, positions for stamping, the check before encoding, API facts.
#include "protocol/codec.h"

#include <gtest/gtest.h>

#include <set>

#include "protocol/api_info.h"
#include "protocol/coordinator/consumer_group_member_metadata.h"
#include "protocol/frame.h"
#include "protocol/json.h"
#include "protocol/messages/fetch.h"
#include "protocol/messages/heartbeat.h"
#include "protocol/messages/metadata.h"
#include "protocol/messages/produce.h"
#include "protocol/metadata/partition_record.h"

namespace moldau::protocol {
namespace {

std::string spliced(const Encoded& encoded, const std::map<uint64_t, std::string>& files) {
  std::string out(as_text(encoded.bytes));
  for (auto s = encoded.splices.rbegin(); s != encoded.splices.rend(); ++s)
    out.insert(s->position, files.at(s->token));
  return out;
}

TEST(Codec, ExternalRecordsLeaveASpliceAndTheSameBytes) {
  const std::map<uint64_t, std::string> files{{7, "seven bytes of a log"}, {9, std::string(70'000, 'x')}};
  const auto response = [&](bool external) {
    FetchResponse out{.session_id = 3};
    auto& topic = out.responses.emplace_back(FetchResponse::FetchableTopicResponse{.topic = "t"});
    for (const auto& [token, content] : files) {
      topic.partitions.push_back({.partition_index = static_cast<int32_t>(token), .high_watermark = 5});
      topic.partitions.back().records = external
                                            ? Records::external(token, static_cast<uint32_t>(content.size()))
                                            : Records(as_bytes(content));
    }
    topic.partitions.push_back({.records = Records::external(11, 0)});
    return out;
  };
  for (int16_t version = FetchResponse::kVersions.first; version <= FetchResponse::kVersions.last;
       ++version) {
    const auto plain = encode_response(response(false), version, 42);
    const auto external = encode_response(response(true), version, 42);
    ASSERT_TRUE(plain && external);
    EXPECT_TRUE(plain->splices.empty());
    ASSERT_EQ(external->splices.size(), 2u) << "no splice for no bytes";
    EXPECT_EQ(external->size(), plain->bytes.size());
    EXPECT_LT(external->bytes.size(), 400u);
    EXPECT_EQ(spliced(*external, files), as_text(plain->bytes)) << version;
    Encoder tables;
    const auto message = response(true);
    encode(FetchResponse::kInfo, &message, version, tables, CodecKind::kTables);
    EXPECT_TRUE(std::ranges::equal(tables.splices(), external->splices, {}, &Splice::token, &Splice::token));
  }
}

TEST(Codec, DecodedRecordsSayWhereTheyLieInTheFrame) {
  ProduceRequest request{.acks = -1};
  request.topic_data.push_back({.name = "t",
                                .partition_data = {{.index = 1, .records = Records(as_bytes("first"))},
                                                   {.index = 2, .records = Records(as_bytes("second"))}}});
  const auto frame = encode_request(request, 9, 1, "me");
  ASSERT_TRUE(frame);
  const Buffer buffer = Buffer::copy_of(frame->bytes);
  Decoder in(buffer);
  in.i32();
  const auto head = decode_request_header(in);
  ASSERT_TRUE(head);
  ProduceRequest decoded;
  ASSERT_TRUE(decode(in, 9, decoded));
  const Records& second = *decoded.topic_data[0].partition_data[1].records;
  EXPECT_EQ(second.bytes().data(), buffer.data() + second.position()) << "a view, not a copy";
  buffer.slice(second.position(), second.size()).data()[0] = 'S';
  EXPECT_EQ(as_text(second.bytes()), "Second");
}

TEST(Codec, FreshMessagesHaveTheSchemasDefaults) {
  EXPECT_EQ(PartitionRecord{}.partition_id, -1);
  EXPECT_EQ(FetchRequest{}.max_bytes, 0x7fffffff);
  EXPECT_EQ(FetchRequest::FetchPartition{}.high_watermark, INT64_MAX);
  EXPECT_TRUE(MetadataRequest{}.topics.has_value()) << "no topics, which isn't all topics";
  EXPECT_FALSE(ProduceRequest{}.transactional_id.has_value());
  EXPECT_TRUE(ConsumerGroupMemberMetadataValue{}.classic_member_metadata.has_value());
}

TEST(Codec, ADecodedMessageHasNothingOfWhatWasThereBefore) {
  Encoder out;
  encode(HeartbeatRequest{.group_id = "g"}, 0, out);
  HeartbeatRequest request{.member_id = "old", .group_instance_id = "old"};
  Decoder in(out.view());
  ASSERT_TRUE(decode(in, 0, request));
  EXPECT_TRUE(request == HeartbeatRequest{.group_id = "g"});
  EXPECT_FALSE(request == HeartbeatRequest{.group_id = "h"});
}

TEST(Codec, TheCheckFindsWhatAVersionCanNotCarry) {
  const auto sentence = [](const auto& message, int16_t version) {
    const Status done = check_encodable(message, version);
    return done ? std::string() : done.error().message;
  };
  EXPECT_EQ(sentence(HeartbeatRequest{.group_instance_id = "i"}, 2),
            "HeartbeatRequest version 2: groupInstanceId has a value, but this version lacks the field");
  EXPECT_EQ(sentence(HeartbeatRequest{.group_instance_id = "i"}, 3), "");
  EXPECT_EQ(sentence(MetadataRequest{.topics = std::nullopt}, 0),
            "MetadataRequest version 0: topics is null, which this version can't say");
  EXPECT_EQ(sentence(MetadataRequest{.topics = std::nullopt}, 1), "");
  MetadataRequest nameless;
  nameless.topics->emplace_back();
  nameless.topics->push_back({.name = std::nullopt});
  EXPECT_EQ(sentence(nameless, 9),
            "MetadataRequest version 9: topics[1].name is null, which this version can't say");
  EXPECT_EQ(sentence(nameless, 10), "");
  const std::string longer(32768, 'x');
  EXPECT_EQ(sentence(HeartbeatRequest{.group_id = longer}, 4),
            "HeartbeatRequest version 4: groupId is longer than 32767 bytes");
  ProduceRequest by_id;
  by_id.topic_data.push_back({.name = "ignorable at 13", .topic_id = {1, 2}});
  EXPECT_EQ(sentence(by_id, 13), "");
  EXPECT_EQ(sentence(by_id, 12), "") << "both names of a topic are ignorable";
}

TEST(Codec, AStringWithoutAnEncodingIsCutAndTold) {
  const std::string longer(40'000, 'x');
  const auto frame = encode_request(HeartbeatRequest{.group_id = longer}, 4, 1, std::nullopt);
  ASSERT_FALSE(frame);
  Encoder out;
  encode(HeartbeatRequest{.group_id = longer, .member_id = "m"}, 4, out);
  EXPECT_FALSE(out.ok());
  Decoder in(out.view());
  HeartbeatRequest again;
  ASSERT_TRUE(decode(in, 4, again)) << "still well-formed";
  EXPECT_EQ(again.group_id.size(), 32767u);
  EXPECT_EQ(again.member_id, "m");
}

TEST(Codec, JsonEscapesAndRefuses) {
  Arena arena;
  HeartbeatRequest request;
  ASSERT_TRUE(from_json(R"({"groupId":"a\"\\\u0001\u00e9\ud83d\ude00\n"})", request, arena));
  EXPECT_EQ(request.group_id, "a\"\\\x01é😀\n");
  EXPECT_EQ(to_json(request, 0), R"({"groupId":"a\"\\\u0001é😀\n","generationId":0,"memberId":""})");
  EXPECT_EQ(to_json(HeartbeatRequest{.group_id = "\xff\xc0\x80\xed\xa0\x80"}, 0),
            "{\"groupId\":\"������\",\"generationId\":0,\"memberId\":\"\"}");
  for (const char* wrong : {"", "{", "{}x", "[]", R"({"groupId":1})", R"({"groupId":"\ud800"})",
                            R"({"generationId":1.5})", R"({"generationId":"1"})", R"({"groupId":"a)"})
    EXPECT_FALSE(from_json(wrong, request, arena)) << wrong;
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "[";
  EXPECT_FALSE(from_json(deep, request, arena));
}

TEST(ApiInfo, SaysWhatKafkaSays) {
  const auto apis = all_apis();
  EXPECT_EQ(apis.size(), 95u);
  size_t broker = 0, controller = 0, both = 0, versions = 0, forwardable = 0, cluster_action = 0;
  for (const ApiInfo& api : apis) {
    EXPECT_EQ(find_api(static_cast<int16_t>(api.key)), &api);
    EXPECT_EQ(find_api(api.upper_name), &api);
    broker += api.on_broker;
    controller += api.on_controller;
    both += api.on_broker && api.on_controller;
    forwardable += api.forwardable;
    cluster_action += api.cluster_action;
    versions += static_cast<size_t>(api.versions.last - api.versions.first + 1);
    EXPECT_EQ(api.request == nullptr, api.versions.empty());
  }
  EXPECT_EQ(broker, 79u);
  EXPECT_EQ(controller, 42u);
  EXPECT_EQ(both, 30u);
  EXPECT_EQ(versions, 309u);
  EXPECT_EQ(forwardable, 22u);
  EXPECT_EQ(cluster_action, 20u);
  EXPECT_EQ(find_api(int16_t{95}), nullptr);
  EXPECT_EQ(find_api(int16_t{-1}), nullptr);
  EXPECT_EQ(api_info(ApiKey::kInitProducerId).upper_name, "INIT_PRODUCER_ID");
}

TEST(ApiInfo, AdvertisesWhatKafkaAdvertises) {
  const auto range = [](ApiKey key, ListenerKind kind, bool unstable) {
    return advertised_versions(api_info(key), kind, unstable);
  };
  EXPECT_EQ(range(ApiKey::kProduce, ListenerKind::kBroker, false), (VersionRange{0, 13}));
  EXPECT_FALSE(is_served(api_info(ApiKey::kProduce), 2, ListenerKind::kBroker, false));
  EXPECT_TRUE(range(ApiKey::kProduce, ListenerKind::kController, false).empty());
  EXPECT_EQ(range(ApiKey::kInitProducerId, ListenerKind::kBroker, false), (VersionRange{0, 5}));
  EXPECT_EQ(range(ApiKey::kInitProducerId, ListenerKind::kBroker, true), (VersionRange{0, 6}));
  EXPECT_FALSE(is_served(api_info(ApiKey::kInitProducerId), 6, ListenerKind::kBroker, false));
  EXPECT_TRUE(range(ApiKey::kVote, ListenerKind::kBroker, false).empty());
  EXPECT_EQ(range(ApiKey::kVote, ListenerKind::kController, false), (VersionRange{0, 2}));
  EXPECT_TRUE(range(ApiKey::kLeaderAndIsr, ListenerKind::kBroker, true).empty());
}

}  // namespace
}  // namespace moldau::protocol
