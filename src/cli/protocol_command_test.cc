#include "cli/protocol_command.h"

#include <gtest/gtest.h>

#include <sstream>

namespace moldau::cli {
namespace {

struct Outcome {
  int code;
  std::string out, err;
};

Outcome run(std::vector<std::string> args, const std::string& input = "") {
  std::istringstream in(input);
  std::ostringstream out, err;
  const int code = run_protocol_command(args, in, out, err);
  return {code, out.str(), err.str()};
}

constexpr const char* kHeartbeat =
    R"({"groupId":"g","generationId":7,"memberId":"m","groupInstanceId":null})";

TEST(ProtocolCommand, TranslatesBothWays) {
  const auto encoded = run({"encode", "request", "Heartbeat", "4"}, std::string(kHeartbeat) + "\n");
  EXPECT_EQ(encoded.code, 0) << encoded.err;
  EXPECT_EQ(encoded.out, "026700000007026d0000\n");
  const auto decoded = run({"decode", "request", "heartbeatrequest", "4"}, encoded.out);
  EXPECT_EQ(decoded.code, 0) << decoded.err;
  EXPECT_EQ(decoded.out, std::string(kHeartbeat) + "\n");
}

TEST(ProtocolCommand, AcceptsNamesInAnyCaseWithAndWithoutTheKind) {
  for (const char* name : {"ListGroups", "listgroups", "LISTGROUPSREQUEST", "ListGroupsRequest"})
    EXPECT_EQ(run({"decode", "request", name, "0"}, "\n").out, "{}\n") << name;
  EXPECT_EQ(run({"decode", "record", "NoOp", "0"}, "00\n").out, "{}\n");
  EXPECT_EQ(run({"decode", "record", "TransactionLogKey", "0"}, "000174\n").out,
            "{\"transactionalId\":\"t\"}\n");
  EXPECT_EQ(run({"decode", "header", "Response", "1"}, "0000000100\n").out, "{\"correlationId\":1}\n");
  EXPECT_EQ(run({"decode", "data", "EndTxnMarker", "0"}, "00000005\n").out, "{\"coordinatorEpoch\":5}\n");
}

TEST(ProtocolCommand, ReadsAndWritesFrames) {
  EXPECT_EQ(run({"decode", "record", "NoOp", "0", "--framed"}, "01140000\n").out, "{}\n");
  EXPECT_EQ(
      run({"encode", "record", "TransactionLogKey", "0", "--framed"}, "{\"transactionalId\":\"t\"}\n").out,
      "0000000174\n");
  const auto other = run({"decode", "record", "TransactionLogKey", "0", "--framed"}, "0001000174\n");
  EXPECT_EQ(other.code, 1);
  EXPECT_EQ(other.err, "line 1: TransactionLogKey has type 0, these bytes have 1\n");
}

TEST(ProtocolCommand, NamesEachBadLineAndDoesTheOthers) {
  const auto done =
      run({"decode", "request", "Heartbeat", "4"},
          "026700000007026d0000\n0267000\n02670000\nxx\n026700000007026d000000\r\n026700000007026d0000");
  EXPECT_EQ(done.code, 1);
  EXPECT_EQ(done.out, std::string(kHeartbeat) + "\n" + kHeartbeat + "\n");
  EXPECT_EQ(done.err,
            "line 2: an odd number of hex digits\n"
            "line 3: HeartbeatRequest version 4, generationId at byte 2 of 4: the input ends early, or a "
            "varint is malformed\n"
            "line 4: no hex digit at character 1\n"
            "line 5: bytes left over behind byte 10: 1\n");
}

TEST(ProtocolCommand, SaysWhatAVersionCanNotCarry) {
  const auto done =
      run({"encode", "request", "Heartbeat", "2"},
          "{\"groupInstanceId\":\"i\"}\n{\"groupId\":null}\n{\"generationId\":2147483648}\n{\"x\":1}\n{\n");
  EXPECT_EQ(done.code, 1);
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(
      done.err,
      "line 1: HeartbeatRequest version 2: groupInstanceId has a value, but this version lacks the field\n"
      "line 2: HeartbeatRequest: groupId can't be null\n"
      "line 3: HeartbeatRequest: generationId is out of its type's range\n"
      "line 4: HeartbeatRequest: x is no field of this message\n"
      "line 5: not JSON at character 2: a name is expected\n");
}

TEST(ProtocolCommand, RefusesWrongCommands) {
  EXPECT_EQ(run({"decode", "request", "Produce", "2"}).code, 2);
  EXPECT_EQ(run({"decode", "request", "Produce", "2"}).err, "ProduceRequest has no version 2, only 3-13\n");
  EXPECT_EQ(run({"decode", "request", "Nope", "0"}).err,
            "no request is called Nope; `moldau protocol list request` prints their names\n");
  EXPECT_EQ(run({"decode", "reply", "Produce", "3"}).code, 2);
  EXPECT_EQ(run({}).code, 2);
  EXPECT_EQ(run({"--help"}).code, 0);
}

TEST(ProtocolCommand, ListsMessages) {
  const auto all = run({"list"});
  EXPECT_EQ(std::count(all.out.begin(), all.out.end(), '\n'), 278);
  EXPECT_TRUE(run({"list", "header"}).out == "header RequestHeader 1-2\nheader ResponseHeader 0-1\n");
}

}  // namespace
}  // namespace moldau::cli
