#include "api/dispatcher.h"

#include <gtest/gtest.h>

#include <set>

#include "api/test_bench.h"
#include "base/writer.h"
#include "protocol/messages/list_offsets.h"
#include "protocol/messages/metadata.h"

namespace moldau::api::testing {
namespace {

using Kind = Outcome::Kind;

// A request's header, then the body.
std::string frame(int16_t key, int16_t version, std::string_view body = {}) {
  Writer out;
  out.i16(key), out.i16(version), out.i32(77), out.i16(-1);
  const protocol::ApiInfo* api = protocol::find_api(key);
  if (api && protocol::request_header_version(*api, version) >= 2) out.uvarint(0);
  out.text(body);
  return out.take();
}

struct DispatcherTest : ::testing::Test {
  Kind kind_of(std::string_view bytes) {
    const uint64_t ticket = bench.send_frame(as_bytes(bytes));
    EXPECT_LE(bench.outcome(ticket).times, 1);
    last_reason = bench.outcome(ticket).reason;
    return bench.outcome(ticket).kind;
  }
  TestBench bench;
  std::string last_reason;
};

TEST_F(DispatcherTest, AnythingThatIsNoRequestEndsTheConnection) {
  EXPECT_EQ(kind_of(""), Kind::kClosed);
  EXPECT_EQ(kind_of(std::string("\0\x03\0\1\0\0", 6)), Kind::kClosed);
  EXPECT_EQ(last_reason, "a request without a whole header");
  EXPECT_EQ(kind_of(frame(3, 1).substr(0, 8)), Kind::kClosed);  // no client id
  EXPECT_EQ(last_reason, "a Metadata request with a malformed header");
  EXPECT_EQ(kind_of(frame(-1, 0)), Kind::kClosed);
  EXPECT_EQ(kind_of(frame(999, 0)), Kind::kClosed);
  EXPECT_EQ(kind_of(frame(3, 1, "x")), Kind::kClosed);
  EXPECT_TRUE(last_reason.starts_with("a malformed Metadata request, version 1: ")) << last_reason;
}

TEST_F(DispatcherTest, OnlyWhatStandsInTheTableIsServed) {
  EXPECT_EQ(kind_of(frame(26, 0)), Kind::kClosed);
  EXPECT_EQ(last_reason, "a request with API key 26 (EndTxn), which this listener doesn't serve");
  TestBench controller(protocol::ListenerKind::kController);
  const uint64_t ticket = controller.send(protocol::MetadataRequest{}, 9);
  EXPECT_EQ(controller.outcome(ticket).kind, Kind::kClosed);
}

TEST_F(DispatcherTest, VersionsThatArentServedEndTheConnection) {
  EXPECT_EQ(kind_of(frame(3, 14)), Kind::kClosed);
  EXPECT_EQ(last_reason, "a Metadata request of version 14, which isn't served; 0 to 13 are");
  EXPECT_EQ(kind_of(frame(3, -1)), Kind::kClosed);
  EXPECT_EQ(kind_of(frame(0, 2)), Kind::kClosed);  // Produce 0 to 2 are advertised only
}

TEST_F(DispatcherTest, BytesBehindTheBodyAreIgnored) {
  bench.images.image = TestImage().broker(1).take();
  EXPECT_EQ(kind_of(frame(3, 1, std::string("\xff\xff\xff\xff behind", 11))), Kind::kAnswered);
}

TEST_F(DispatcherTest, OnlyProducesMayOverlap) {
  EXPECT_TRUE(bench.dispatcher.may_overlap(as_bytes(frame(0, 9))));
  EXPECT_FALSE(bench.dispatcher.may_overlap(as_bytes(frame(1, 12))));
  EXPECT_FALSE(bench.dispatcher.may_overlap(as_bytes(frame(3, 9))));
  EXPECT_FALSE(bench.dispatcher.may_overlap(as_bytes(frame(999, 9))));
  EXPECT_FALSE(bench.dispatcher.may_overlap({}));
}

TEST_F(DispatcherTest, TheTablesHoldWhatIsServed) {
  const auto keys = [](protocol::ListenerKind kind) {
    std::set<int16_t> keys;
    for (const Route& route : routes(kind)) {
      keys.insert(static_cast<int16_t>(route.key));
      EXPECT_TRUE(protocol::api_info(route.key).on(kind));
    }
    return keys;
  };
  EXPECT_EQ(keys(protocol::ListenerKind::kBroker),
            (std::set<int16_t>{0,  1,  2,  3,  8,  9,  10, 11, 12, 13, 14, 15, 16, 18, 19,
                               20, 21, 22, 23, 29, 30, 31, 32, 33, 34, 35, 37, 42, 43, 44,
                               45, 46, 47, 48, 49, 50, 55, 60, 61, 64, 68, 69, 74, 75, 94}));
  EXPECT_EQ(keys(protocol::ListenerKind::kController),
            (std::set<int16_t>{1,  18, 19, 20, 29, 30, 31, 32, 33, 37, 43, 44, 45,
                               46, 49, 55, 56, 59, 60, 62, 63, 64, 67, 70, 73, 94}));
}

}  // namespace
}  // namespace moldau::api::testing
