// Frames: whole requests and responses, and records as they are stored, against the golden vectors.
#include "protocol/frame.h"

#include <gtest/gtest.h>

#include "protocol/any_message.h"
#include "protocol/json.h"
#include "protocol/messages/api_versions.h"
#include "protocol/metadata_record.h"
#include "protocol/testdata/golden_vectors.h"

namespace moldau::protocol {
namespace {

constexpr int32_t kCorrelationId = 16909060;
constexpr std::string_view kClientId = "golden-client";

std::string title(const GoldenFrame& g) {
  return g.message + " version " + std::to_string(g.version) + " " + g.name;
}

TEST(Frame, GoldenOnesDecodeAndEncode) {
  const auto frames = golden_frames(MOLDAU_TESTDATA);
  EXPECT_EQ(frames.size(), 1236u);
  for (const GoldenFrame& g : frames) {
    ASSERT_NE(g.info, nullptr) << title(g);
    Decoder in(as_bytes(g.bytes));
    ASSERT_EQ(static_cast<size_t>(in.i32()), g.bytes.size() - 4);
    const ApiInfo& api = *find_api(g.info->key);
    if (g.info->kind == MessageKind::kRequest) {
      auto head = decode_request_header(in);
      ASSERT_TRUE(head) << title(g) << head.error().message;
      EXPECT_EQ(head->api, &api);
      EXPECT_EQ(head->header.request_api_version, g.version);
      EXPECT_EQ(head->header.correlation_id, kCorrelationId);
      EXPECT_EQ(head->header.client_id, kClientId);
      EXPECT_EQ(request_header_version(api, g.version), g.header_version) << title(g);
    } else {
      auto header = decode_response_header(in, api, g.version);
      ASSERT_TRUE(header) << title(g);
      EXPECT_EQ(header->correlation_id, kCorrelationId);
      EXPECT_EQ(response_header_version(api, g.version), g.header_version) << title(g);
    }
    ASSERT_EQ(in.position(), g.body_offset) << title(g);
    AnyMessage body(*g.info);
    ASSERT_TRUE(decode(*g.info, in, g.version, body.get())) << title(g);
    EXPECT_EQ(in.remaining(), 0u);
    const auto frame = g.info->kind == MessageKind::kRequest
                           ? encode_request(*g.info, body.get(), g.version, kCorrelationId, kClientId)
                           : encode_response(*g.info, body.get(), g.version, kCorrelationId);
    ASSERT_TRUE(frame);
    ASSERT_TRUE(equal(frame->bytes, as_bytes(g.bytes))) << title(g);
  }
}

TEST(Frame, RecordsAreStoredAsKafkaStoresThem) {
  size_t framed = 0;
  for (const GoldenMessage& g : golden_messages(MOLDAU_TESTDATA)) {
    if (g.framed.empty()) continue;
    ++framed;
    AnyMessage message(*g.info);
    Decoder in(as_bytes(g.framed));
    const auto version = decode_framed(*g.info, in, message.get(), g.version);
    ASSERT_TRUE(version) << g.message << version.error().message;
    EXPECT_EQ(*version, g.version);
    EXPECT_EQ(in.remaining(), 0u);
    if (g.name == "unknown-tags") continue;
    Encoder out;
    encode_framed(*g.info, message.get(), g.version, out);
    EXPECT_TRUE(equal(out.view(), as_bytes(g.framed))) << g.message;
    if (g.info->kind != MessageKind::kMetadataRecord) continue;
    const auto record = decode_metadata_record(as_bytes(g.framed));
    ASSERT_TRUE(record) << g.message << record.error().message;
    Encoder again;
    encode_metadata_record(record->record, record->version, again);
    EXPECT_TRUE(equal(again.view(), as_bytes(g.framed))) << g.message;
  }
  EXPECT_EQ(framed, 555u);
}

TEST(Frame, WrongOnesAreRefused) {
  const auto error_of = [](std::string_view bytes) {
    const auto record = decode_metadata_record(as_bytes(bytes));
    return record ? ErrorCode::kNone : record.error().code;
  };
  using namespace std::string_view_literals;
  EXPECT_EQ(error_of("\x01\x14\x00\x00"sv), ErrorCode::kNone);
  EXPECT_EQ(error_of("\x01\x14\x00\x00\x00"sv), ErrorCode::kCorruptMessage) << "a byte too many";
  EXPECT_EQ(error_of("\x01\x14\x00"sv), ErrorCode::kCorruptMessage) << "no body";
  EXPECT_EQ(error_of("\x01\x14"sv), ErrorCode::kCorruptMessage);
  EXPECT_EQ(error_of(""sv), ErrorCode::kCorruptMessage);
  EXPECT_EQ(error_of("\x00\x14\x00\x00"sv), ErrorCode::kCorruptMessage) << "frame version";
  EXPECT_EQ(error_of("\x01\x14\x01\x00"sv), ErrorCode::kUnsupportedVersion);
  EXPECT_EQ(error_of("\x01\x06\x00\x00"sv), ErrorCode::kUnsupportedVersion) << "no record has type 6";
  EXPECT_EQ(error_of("\x01\x80\x80\x04\x00\x00"sv), ErrorCode::kCorruptMessage) << "type 65536";
}

TEST(Frame, HeadersOfUnknownApisAreRefusedButUnknownVersionsAreNot) {
  Encoder out;
  const RequestHeader header{
      .request_api_key = 18, .request_api_version = 99, .correlation_id = 5, .client_id = "c"};
  encode(header, 2, out);
  Decoder in(out.view());
  const auto head = decode_request_header(in);
  ASSERT_TRUE(head) << "the answer to ApiVersions of the future needs its correlation id";
  EXPECT_EQ(head->header.correlation_id, 5);
  EXPECT_FALSE(is_served(*head->api, 99, ListenerKind::kBroker, true));
  EXPECT_EQ(response_header_version(*head->api, 99), 0);
  for (int16_t key : {int16_t{-1}, int16_t{4}, int16_t{95}, int16_t{200}}) {
    Encoder unknown;
    encode(RequestHeader{.request_api_key = key}, 1, unknown);
    Decoder bytes(unknown.view());
    EXPECT_FALSE(decode_request_header(bytes)) << key;
  }
}

TEST(Frame, BytesBehindTheBodyAreLeftToTheCaller) {
  Encoder out;
  encode(ApiVersionsRequest{.client_software_name = "n", .client_software_version = "v"}, 3, out);
  out.raw(as_bytes("more"));
  Decoder in(out.view());
  ApiVersionsRequest request;
  ASSERT_TRUE(decode(in, 3, request));
  EXPECT_EQ(request.client_software_version, "v");
  EXPECT_EQ(in.remaining(), 4u) << "Kafka ignores them";
}

}  // namespace
}  // namespace moldau::protocol
