// What a peer may cost: every limit of decoder.h, every golden message cut at every byte, and with bytes changed.
#include <gtest/gtest.h>

#include <random>

#include "protocol/any_message.h"
#include "protocol/codec.h"
#include "protocol/header/request_header.h"
#include "protocol/messages/api_versions.h"
#include "protocol/messages/fetch.h"
#include "protocol/messages/heartbeat.h"
#include "protocol/messages/metadata.h"
#include "protocol/messages/produce.h"
#include "protocol/messages/streams_group_heartbeat.h"
#include "protocol/testdata/golden_vectors.h"

namespace moldau::protocol {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

// The error's sentence from both codecs, which must agree; empty: it decodes.
template <Message T>
std::string refusal(std::string_view bytes, int16_t version) {
  std::string sentences[2];
  for (CodecKind codec : {CodecKind::kTables, CodecKind::kFastest}) {
    T message;
    Decoder in(as_bytes(bytes));
    const Status done = decode(T::kInfo, in, version, &message, codec);
    if (!done) sentences[codec == CodecKind::kFastest] = done.error().message;
  }
  EXPECT_EQ(sentences[0], sentences[1]);
  return sentences[0];
}

std::string zeros(size_t n) {
  return std::string(n, '\0');
}

TEST(Limits, UnknownVersionsAreRefused) {
  ProduceRequest request;
  for (int16_t version : {int16_t{-1}, int16_t{2}, int16_t{14}}) {
    Decoder in(Bytes{});
    const Status done = decode(in, version, request);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::kUnsupportedVersion);
  }
}

TEST(Limits, ArraysNeedTheirBytesAndHaveAtMostAMillionElements) {
  // Metadata version 1: an array of names, each of 2 bytes at least.
  EXPECT_EQ(refusal<MetadataRequest>("\x00\x00\x00\x02\x00\x00\x00\x00"sv, 1), "");
  EXPECT_EQ(refusal<MetadataRequest>("\x00\x00\x00\x02\x00\x00\x00"sv, 1),
            "MetadataRequest version 1, topics at byte 0 of 7: an array that has more elements than the "
            "input has room for");
  EXPECT_EQ(refusal<MetadataRequest>("\x7f\xff\xff\xff"sv, 1),
            "MetadataRequest version 1, topics at byte 0 of 4: an array of more than 1,000,000 elements");
  EXPECT_EQ(refusal<MetadataRequest>("\x00\x0f\x42\x40"sv, 1),
            "MetadataRequest version 1, topics at byte 0 of 4: an array that has more elements than the "
            "input has room for");
  EXPECT_EQ(refusal<MetadataRequest>("\x00\x0f\x42\x40"s + zeros(2'000'000), 1), "")
      << "a million empty names";
  EXPECT_EQ(
      refusal<MetadataRequest>("\x00\x0f\x42\x41"s + zeros(2'000'002), 1),
      "MetadataRequest version 1, topics at byte 0 of 2000006: an array of more than 1,000,000 elements");
}

TEST(Limits, NegativeLengthsAreNull) {
  EXPECT_EQ(refusal<MetadataRequest>("\xff\xff\xff\xff"sv, 1), "");
  EXPECT_EQ(refusal<MetadataRequest>("\x80\x00\x00\x00"sv, 1), "");
  EXPECT_EQ(refusal<MetadataRequest>("\xff\xff\xff\xff"sv, 0),
            "MetadataRequest version 0, topics at byte 0 of 4: null where this version allows none");
  EXPECT_EQ(refusal<HeartbeatRequest>("\xff\xff"sv, 0),
            "HeartbeatRequest version 0, groupId at byte 0 of 2: null where this version allows none");
  EXPECT_EQ(refusal<HeartbeatRequest>("\x00"sv, 4),
            "HeartbeatRequest version 4, groupId at byte 0 of 1: null where this version allows none");
  EXPECT_EQ(refusal<HeartbeatRequest>("\x01\x00\x00\x00\x00\x01\x80\x80\x80\x80\x08\x00"sv, 4), "")
      << "a compact length beyond 2^31 is negative, too";
}

TEST(Limits, StringsHaveAtMost32767Bytes) {
  const auto heartbeat = [](size_t n) {
    return "\xff\xff\x01"s + std::string(n, 'x') + "\0\0\0\0\x01\x00\x00"s;
  };
  EXPECT_EQ(refusal<HeartbeatRequest>("\x80\x80\x02" + std::string(32767, 'x') + "\0\0\0\0\x01\x00\x00"s, 4),
            "");
  EXPECT_EQ(refusal<HeartbeatRequest>("\x81\x80\x02" + std::string(32768, 'x') + "\0\0\0\0\x01\x00\x00"s, 4),
            "HeartbeatRequest version 4, groupId at byte 0 of 32778: a string of more than 32767 bytes");
  EXPECT_EQ(refusal<HeartbeatRequest>(heartbeat(32766), 4), "");
}

TEST(Limits, MalformedVarintsAreRefused) {
  const std::string sentence =
      "HeartbeatRequest version 4, groupId at byte 0 of 6: the input ends early, or a varint is malformed";
  EXPECT_EQ(refusal<HeartbeatRequest>("\xff\xff\xff\xff\xff\x01"sv, 4), sentence) << "a sixth byte";
  EXPECT_EQ(refusal<HeartbeatRequest>("\xff\xff\xff\xff\x1f\x00"sv, 4), sentence) << "33 bits";
  EXPECT_EQ(refusal<HeartbeatRequest>("\x81\x80\x80\x00\x00\x00\x00\x00\x01\x00\x00"sv, 4), "")
      << "overlong, but whole";
  EXPECT_EQ(
      refusal<HeartbeatRequest>("\x80"sv, 4),
      "HeartbeatRequest version 4, groupId at byte 0 of 1: the input ends early, or a varint is malformed");
}

// A Heartbeat of version 4 without tags, and the tagged part behind it.
std::string with_tags(std::string_view tags) {
  return "\x01\x00\x00\x00\x00\x01\x00"s.append(tags);
}
constexpr size_t kTagsAt = 7;
std::string tags_refusal(std::string_view tags, const char* why) {
  return "HeartbeatRequest version 4, tagged fields at byte " + std::to_string(kTagsAt) + " of " +
         std::to_string(kTagsAt + tags.size()) + ": " + why;
}

TEST(Limits, UnknownTagsAreSkippedUpTo10000) {
  EXPECT_EQ(refusal<HeartbeatRequest>(with_tags("\x02\x64\x01\x00\xa0\x9c\x01\x02\x00\x00"sv), 4), "");
  EXPECT_EQ(refusal<HeartbeatRequest>(with_tags("\x02\x65\x00\x64\x00"sv), 4), "") << "in any order";
  std::string many = "\x90\x4e";
  for (int i = 0; i < 10'000; ++i) many += "\x64\x00"sv;
  EXPECT_EQ(refusal<HeartbeatRequest>(with_tags(many), 4), "");
  const std::string_view more = "\x91\x4e"sv;
  EXPECT_EQ(refusal<HeartbeatRequest>(with_tags(more), 4),
            tags_refusal(more, "more than 10,000 tagged fields"));
  const std::string_view longer = "\x01\x64\x05\x00"sv;
  EXPECT_EQ(refusal<HeartbeatRequest>(with_tags(longer), 4),
            tags_refusal(longer, "a tagged field is longer than the input"));
  const std::string_view twice = "\x02\x05\x00\x05\x00"sv;
  EXPECT_EQ(refusal<HeartbeatRequest>(with_tags(twice), 4), tags_refusal(twice, "a tag occurs twice"));
}

TEST(Limits, KnownTagsHaveTheSizeThatTheySay) {
  // Fetch version 12 with the cluster's id as tag 0.
  const std::string head =
      "\xff\xff\xff\xff"s + zeros(8) + "\x00\x00\x10\x00\x00"s + zeros(8) + "\x01\x01\x01"s;
  const auto fetch = [&](std::string_view tags) {
    return refusal<FetchRequest>(head + std::string(tags), 12);
  };
  EXPECT_EQ(fetch("\x01\x00\x03\x03hi"sv), "");
  EXPECT_NE(fetch("\x01\x00\x04\x03hi!"sv).find("a tagged field's value differs from its size"),
            std::string::npos);
  EXPECT_NE(fetch("\x01\x00\x02\x03hi"sv).find("a tagged field's value differs from its size"),
            std::string::npos);
  EXPECT_NE(fetch("\x02\x00\x03\x03hi\x00\x03\x03ho"sv).find("a tag occurs twice"), std::string::npos);
}

TEST(Limits, ErrorsNameTheField) {
  // Produce version 9: one topic, two partitions, the second one's records end early.
  const std::string bytes =
      "\x00\x00\x01\x00\x00\x00\x00\x02\x02t\x03"s + zeros(4) + "\x01\x00"s + zeros(4) + "\x09xyz"s;
  EXPECT_EQ(refusal<ProduceRequest>(bytes, 9),
            "ProduceRequest version 9, topicData[0].partitionData[1].records at byte 21 of 25: the input "
            "ends early, or a varint is malformed");
}

TEST(Limits, NullableStructsFollowTheirMarker) {
  StreamsGroupHeartbeatRequest request{.topology = StreamsGroupHeartbeatRequest::Topology{.epoch = 3}};
  Encoder out;
  encode(request, 0, out);
  StreamsGroupHeartbeatRequest again;
  Decoder in(out.view());
  ASSERT_TRUE(decode(in, 0, again));
  ASSERT_TRUE(again.topology);
  EXPECT_EQ(again.topology->epoch, 3);
  EXPECT_FALSE(again.user_endpoint);
  EXPECT_TRUE(request == again);
}

// No honest input meets L3: an element never takes 64 times in memory what it takes in the input.
void expect_affordable(const MessageInfo& info, const StructInfo& structure) {
  for (const FieldInfo& field : structure.all()) {
    if (!field.structure) continue;
    if (field.is(FieldInfo::kArray)) {
      EXPECT_LT(field.structure->size, kAllocationPerByte * field.structure->least_bytes)
          << info.name << " " << field.name;
    }
    expect_affordable(info, *field.structure);
  }
}

TEST(Limits, MemoryIsBoundedByTheInput) {
  for (const MessageInfo* info : all_messages()) expect_affordable(*info, *info->root);
  const std::string bytes = "\x00\x00\x00\x64\x00\x00\x00\x64"s + zeros(100);
  const size_t budget = 64 * bytes.size() + (1 << 20);
  Decoder in(as_bytes(bytes));
  EXPECT_EQ(in.array_length(false, false, 1, budget / 100), 100);
  EXPECT_EQ(in.array_length(false, false, 1, 100), 0) << "the first array took all there is";
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.why(), "the input would take more memory than 64 times its size"sv);
}

TEST(Limits, EveryMessageCutAnywhereIsRefusedOrShorter) {
  for (const GoldenMessage& g : golden_messages(MOLDAU_TESTDATA)) {
    if (g.bytes.size() > 1500) continue;
    AnyMessage message(*g.info);
    for (size_t n = 0; n < g.bytes.size(); ++n) {
      for (CodecKind codec : {CodecKind::kTables, CodecKind::kFastest}) {
        // A copy of exactly that size, so that the sanitizers see a read beyond it.
        const std::vector<uint8_t> cut(g.bytes.begin(), g.bytes.begin() + static_cast<ptrdiff_t>(n));
        Decoder in(cut);
        ASSERT_FALSE(decode(*g.info, in, g.version, message.get(), codec))
            << g.message << " " << g.version << " " << g.name << " cut at " << n;
      }
      if (!g.info->direct_decode)
        n += n % 3;  // the tables don't differ from message to message: a sample does
    }
  }
}

TEST(Limits, BothCodecsAgreeOnDamagedMessages) {
  std::minstd_rand random(7);
  for (const GoldenMessage& g : golden_messages(MOLDAU_TESTDATA)) {
    if (!g.info->direct_decode || g.bytes.empty() || g.bytes.size() > 1500) continue;
    for (int i = 0; i < 20; ++i) {
      std::string bytes = g.bytes;
      bytes[random() % bytes.size()] = static_cast<char>(random());
      AnyMessage tables(*g.info), direct(*g.info);
      Decoder first(as_bytes(bytes)), second(as_bytes(bytes));
      const Status a = decode(*g.info, first, g.version, tables.get(), CodecKind::kTables);
      const Status b = decode(*g.info, second, g.version, direct.get(), CodecKind::kFastest);
      ASSERT_EQ(a.has_value(), b.has_value()) << g.message << " " << g.version;
      if (!a) {
        EXPECT_EQ(a.error().message, b.error().message);
        continue;
      }
      EXPECT_TRUE(same_value(*g.info->root, tables.get(), direct.get())) << g.message;
      EXPECT_EQ(first.remaining(), second.remaining());
      Encoder one, two;
      encode(*g.info, tables.get(), g.version, one, CodecKind::kTables);
      encode(*g.info, direct.get(), g.version, two, CodecKind::kFastest);
      EXPECT_TRUE(equal(one.view(), two.view())) << g.message;
    }
  }
}

}  // namespace
}  // namespace moldau::protocol
