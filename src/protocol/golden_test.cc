// Every golden vector through both codecs and JSON, both directions.
#include <gtest/gtest.h>

#include "protocol/any_message.h"
#include "protocol/codec.h"
#include "protocol/json.h"
#include "protocol/json_value.h"
#include "protocol/testdata/golden_vectors.h"

namespace moldau::protocol {
namespace {

constexpr CodecKind kCodecs[] = {CodecKind::kTables, CodecKind::kFastest};

std::string title(const GoldenMessage& g) {
  return g.message + " version " + std::to_string(g.version) + " " + g.name;
}

const std::vector<GoldenMessage>& goldens() {
  static const auto all = golden_messages(MOLDAU_TESTDATA);
  return all;
}

TEST(Golden, AreOfEveryMessageAndVersion) {
  EXPECT_EQ(goldens().size(), 3763u);
  for (const MessageInfo* info : all_messages()) {
    std::vector<bool> seen(static_cast<size_t>(info->versions.last) + 1);
    for (const GoldenMessage& g : goldens())
      if (g.info == info) seen[static_cast<size_t>(g.version)] = true;
    for (int16_t v = info->versions.first; v <= info->versions.last; ++v)
      EXPECT_TRUE(seen[static_cast<size_t>(v)]) << info->name << " " << v;
  }
}

TEST(Golden, DecodeToTheirValues) {
  for (const GoldenMessage& g : goldens()) {
    ASSERT_NE(g.info, nullptr) << title(g);
    for (CodecKind codec : kCodecs) {
      AnyMessage message(*g.info);
      Decoder in(as_bytes(g.bytes));
      const Status done = decode(*g.info, in, g.version, message.get(), codec);
      ASSERT_TRUE(done) << title(g) << ": " << done.error().message;
      ASSERT_EQ(in.remaining(), 0u) << title(g);
      const std::string json = to_json(*g.info, message.get(), g.version);
      if (json == g.json) continue;
      // To the letter, but for the smallest double: Java writes 4.9E-324 where one digit is enough.
      ASSERT_NE(g.json.find("4.9E-324"), std::string::npos) << title(g) << "\n" << json << "\n" << g.json;
      ASSERT_TRUE(same_json(*parse_json(json), *parse_json(g.json))) << title(g);
    }
  }
}

TEST(Golden, EncodeToTheirBytes) {
  size_t encoded = 0;
  for (const GoldenMessage& g : goldens()) {
    if (g.name == "unknown-tags") continue;
    AnyMessage message(*g.info);
    Arena arena;
    const Status read = from_json(*g.info, g.json, message.get(), arena);
    ASSERT_TRUE(read) << title(g) << ": " << read.error().message;
    const Status encodable = check_encodable(*g.info, message.get(), g.version);
    ASSERT_TRUE(encodable) << title(g) << ": " << encodable.error().message;
    for (CodecKind codec : kCodecs) {
      Encoder out;
      encode(*g.info, message.get(), g.version, out, codec);
      ASSERT_TRUE(out.ok());
      ASSERT_TRUE(equal(out.view(), as_bytes(g.bytes))) << title(g);
    }
    ++encoded;
  }
  EXPECT_EQ(encoded, 3318u);
}

TEST(Golden, DecodedEqualsWhatItsJsonSays) {
  for (const GoldenMessage& g : goldens()) {
    AnyMessage decoded(*g.info), read(*g.info);
    Decoder in(as_bytes(g.bytes));
    ASSERT_TRUE(decode(*g.info, in, g.version, decoded.get()));
    Arena arena;
    ASSERT_TRUE(from_json(*g.info, g.json, read.get(), arena));
    ASSERT_TRUE(same_value(*g.info->root, decoded.get(), read.get())) << title(g);
    AnyMessage fresh(*g.info);
    if (g.name != "full" || g.json == "{}") continue;
    EXPECT_FALSE(same_value(*g.info->root, decoded.get(), fresh.get())) << title(g);
  }
}

}  // namespace
}  // namespace moldau::protocol
