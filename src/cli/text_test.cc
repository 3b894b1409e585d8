#include <gtest/gtest.h>

#include <sstream>

#include "cli/client/record_text.h"
#include "cli/report.h"
#include "cli/times.h"
#include "record/batch_builder.h"
#include "record/record_reader.h"

namespace moldau::cli {
namespace {

// ---- reports

std::string printed(Format format, const auto& what) {
  std::ostringstream out;
  print(out, format, what);
  return out.str();
}

const Table kTable{"partitions",
                   {"topic", "end_offset", "isr", "rack"},
                   {{"orders", int64_t{12}, std::vector<int32_t>{1, 2}, Cell()},
                    {"bücher", int64_t{3}, std::vector<int32_t>{}, "r\"1"}}};

TEST(Report, ATableHasAlignedColumns) {
  EXPECT_EQ(printed(Format::kTable, kTable),
            "TOPIC   END-OFFSET  ISR  RACK\n"
            "orders          12  1,2  -\n"
            "bücher           3  -    r\"1\n");
}

TEST(Report, JsonHasTheSame) {
  EXPECT_EQ(printed(Format::kJson, kTable), R"([{"topic":"orders","end_offset":12,"isr":[1,2],"rack":null},)"
                                            R"({"topic":"bücher","end_offset":3,"isr":[],"rack":"r\"1"}])"
                                            "\n");
  const Description d{{{"cluster_id", "x"}, {"healthy", true}}, {kTable}};
  EXPECT_TRUE(
      printed(Format::kJson, d).starts_with(R"({"cluster_id":"x","healthy":true,"partitions":[{"topic")"));
  EXPECT_EQ(printed(Format::kJson, std::vector<Description>{}), "[]\n");
  EXPECT_TRUE(printed(Format::kTable, d).starts_with("cluster id  x\nhealthy     yes\n\nTOPIC"));
}

// ---- times

TEST(Times, AreReadAsKafkasToolsReadThem) {
  EXPECT_EQ(parse_time("1764504000000"), 1764504000000);
  EXPECT_EQ(parse_time("2025-11-30T12:00:00.000"), 1764504000000);
  EXPECT_EQ(parse_time("2025-11-30T12:00:00Z"), 1764504000000);
  EXPECT_EQ(parse_time("2025-11-30T13:00:00.000+01:00"), 1764504000000);
  EXPECT_EQ(parse_time("2025-11-30T06:30-0530"), 1764504000000);
  EXPECT_EQ(parse_time("2025-11-30T12:00:00.5"), 1764504000500);
  EXPECT_EQ(parse_time("2025-11-30"), 1764460800000);
  for (const char* wrong : {"", "yesterday", "2025-13-01", "2025-02-30", "2025-11-30T25:00",
                            "2025-11-30T12:00:00x", "-5", "2025-11-30T12:00:00+1"})
    EXPECT_FALSE(parse_time(wrong)) << wrong;
  EXPECT_EQ(time_text(1764504000500), "2025-11-30T12:00:00.500Z");
  EXPECT_EQ(time_text(-1), "-");
}

TEST(Times, DurationsAreIso8601) {
  EXPECT_EQ(parse_duration_ms("P1D"), 86'400'000);
  EXPECT_EQ(parse_duration_ms("PT1H30M"), 5'400'000);
  EXPECT_EQ(parse_duration_ms("P1DT0.5S"), 86'400'500);
  for (const char* wrong : {"", "P", "PT", "1D", "P1H", "PT1D", "PT1M1H", "P1D1D", "P-1D", "PT5"})
    EXPECT_FALSE(parse_duration_ms(wrong)) << wrong;
}

// ---- records

TEST(RecordText, KnowsUtf8) {
  for (const char* good : {"", "a", "ü", "€", "😀"}) EXPECT_TRUE(is_utf8(good)) << good;
  for (const char* bad : {"\x80", "\xc0\xaf", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xf5\x80\x80\x80",
                          "\xf0\x80\x80\x80", "\xe0\x80\x80", "a\xff"})
    EXPECT_FALSE(is_utf8(bad));
}

TEST(RecordText, ARecordSurvivesPrintingAndReading) {
  BatchBuilder builder({.base_offset = Offset(7)});
  const HeaderView headers[] = {{"trace", as_bytes("x\xff")}, {"none", std::nullopt}};
  builder.add(1000, as_bytes("k\"1"), std::nullopt, headers);
  const std::string batch = builder.build();
  std::string json;
  RecordReader reader;
  reader.for_each(BatchHeader(as_bytes(batch).data()), [&](const RecordView& record) {
    json = record_json("orders", 2, record);
    return Visit::kNext;
  });
  EXPECT_EQ(json, R"({"topic":"orders","partition":2,"offset":7,"timestamp":1000,"key":"k\"1","value":null,)"
                  R"("headers":[{"key":"trace","value_base64":"eP8="},{"key":"none","value":null}]})");
  const auto back = parse_record(json);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->key, "k\"1");
  EXPECT_EQ(back->value, std::nullopt);
  EXPECT_EQ(back->timestamp, 1000);
  EXPECT_EQ(back->partition, 2);
  ASSERT_EQ(back->headers.size(), 2u);
  EXPECT_EQ(back->headers[0].second, "x\xff");
  EXPECT_EQ(back->headers[1].second, std::nullopt);
}

TEST(RecordText, SaysWhatIsWrongWithARecord) {
  const std::pair<const char*, const char*> cases[] = {
      {"5", "must be an object"},
      {R"({"valeu":"x"})", "valeu is no member"},
      {R"({"value":5})", "value must be a string"},
      {R"({"value_base64":"?"})", "must be base64"},
      {R"({"partition":1.5})", "must be an integer"},
      {R"({"headers":[{"value":"x"}]})", "a header must be"},
  };
  for (const auto& [json, says] : cases) {
    const auto record = parse_record(json);
    ASSERT_FALSE(record) << json;
    EXPECT_NE(record.error().message.find(says), std::string::npos) << record.error().message;
  }
}

// Kafka's own hashes of these keys.
TEST(RecordText, KeysGoWhereKafkasClientsPutThem) {
  EXPECT_EQ(partition_of_key("21", 1 << 30), (-973932308 & 0x7fffffff) % (1 << 30));
  EXPECT_EQ(partition_of_key("foobar", 1 << 30), (-790332482 & 0x7fffffff) % (1 << 30));
  EXPECT_EQ(partition_of_key("a-little-bit-long-string", 1 << 30), (-985981536 & 0x7fffffff) % (1 << 30));
  EXPECT_EQ(partition_of_key("a-little-bit-longer-string", 1 << 30), (-1486304829 & 0x7fffffff) % (1 << 30));
  EXPECT_EQ(partition_of_key("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", 1 << 30),
            (-58897971 & 0x7fffffff) % (1 << 30));
}

}  // namespace
}  // namespace moldau::cli
