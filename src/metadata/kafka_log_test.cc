// A metadata log that Apache Kafka 4.4 wrote, against the snapshots that it made of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "metadata/image_replay.h"
#include "metadata/image_writer.h"

namespace moldau {
namespace {

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

struct Testdata {
  std::vector<std::pair<int64_t, std::string>> log;
  std::map<int64_t, std::vector<std::string>> snapshots;  // by end offset
};

Testdata load() {
  Testdata data;
  std::ifstream in(MOLDAU_TESTDATA "/kafka_4_4_log.txt");
  std::vector<std::string>* snapshot = nullptr;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    std::string first, second;
    words >> first >> second;
    if (first == "snapshot")
      snapshot = &data.snapshots[std::stoll(second)];
    else if (snapshot)
      snapshot->push_back(from_hex(second));
    else
      data.log.emplace_back(std::stoll(first), from_hex(second));
  }
  return data;
}

ImageReplay replay_until(const Testdata& data, int64_t end) {
  ImageReplay replay;
  for (const auto& [offset, record] : data.log) {
    if (offset >= end) break;
    const Status done = replay.replay(as_bytes(record), {Offset(offset), LeaderEpoch(1)});
    EXPECT_TRUE(done) << done.error().message;
  }
  return replay;
}

ImageReplay replay_snapshot(const std::vector<std::string>& records, int64_t end) {
  ImageReplay replay;
  replay.begin_snapshot();
  for (const std::string& record : records) {
    const Status done = replay.replay(as_bytes(record), {Offset(end - 1), LeaderEpoch(1)});
    EXPECT_TRUE(done) << done.error().message;
  }
  replay.end_snapshot({Offset(end - 1), LeaderEpoch(1)});
  return replay;
}

// Without what lists its features in another order.
std::vector<std::string> sorted_records(const std::vector<std::string>& records) {
  std::vector<std::string> sorted;
  for (const std::string& r : records)
    if (r[1] != 0 && r[1] != 27) sorted.push_back(r);
  std::ranges::sort(sorted);
  return sorted;
}

// A topic and its partitions come together, topics in any order.
char kind(const std::string& record) {
  return record[1] == 3 ? char{2} : record[1];
}

TEST(KafkaLog, replay_reaches_what_kafkas_snapshots_hold) {
  const Testdata data = load();
  ASSERT_EQ(data.snapshots.size(), 4u);
  for (const auto& [end, records] : data.snapshots) {
    const ImageReplay ours = replay_until(data, end);
    const ImageReplay kafkas = replay_snapshot(records, end);
    EXPECT_TRUE(ours.image().same_content(kafkas.image())) << "at " << end;
    EXPECT_EQ(ours.image().end(), kafkas.image().end());
    EXPECT_FALSE(ours.in_transaction());
  }
}

TEST(KafkaLog, our_snapshot_has_kafkas_records_in_kafkas_order_of_kinds) {
  const Testdata data = load();
  for (const auto& [end, records] : data.snapshots) {
    std::vector<std::string> written;
    write_image(replay_until(data, end).image(), [&](const RecordBuffer& buffer) {
      for (size_t i = 0; i < buffer.size(); ++i) written.emplace_back(as_text(buffer[i]));
    });
    ASSERT_EQ(written.size(), records.size()) << "at " << end;
    EXPECT_EQ(sorted_records(written), sorted_records(records)) << "at " << end;
    for (size_t i = 0; i < written.size(); ++i)
      EXPECT_EQ(kind(written[i]), kind(records[i])) << "at " << end << ", record " << i;
  }
}

TEST(KafkaLog, what_the_log_says_is_in_the_image) {
  const Testdata data = load();
  const ImageReplay replay = replay_until(data, 49);
  const ClusterImage& image = replay.image();
  EXPECT_EQ(image.metadata_version().name, "4.4-IV2");
  EXPECT_TRUE(check_supported(image.features()));
  EXPECT_EQ(image.brokers().size(), 3u);
  EXPECT_EQ(image.controllers().size(), 3u);
  EXPECT_TRUE(image.is_active(BrokerId(3)));
  EXPECT_EQ(image.broker(BrokerId(3))->registered_at, Offset(41));
  EXPECT_EQ(image.broker(BrokerId(3))->listener("PLAINTEXT")->port, 21302);
  ASSERT_NE(image.topic("alpha"), nullptr);
  EXPECT_EQ(image.topic("gone"), nullptr);
  EXPECT_EQ(image.partition_count(), 5);
  EXPECT_EQ(image.topic("alpha")->partition(PartitionId(1))->isr, (ReplicaList{1, 2, 3}));
  EXPECT_EQ(*image.config(ConfigType::kTopic, "alpha", "max.message.bytes"), "2000");
  EXPECT_EQ(image.config(ConfigType::kTopic, "alpha", "retention.ms"), nullptr);
  EXPECT_EQ(image.configs(ConfigType::kTopic, "gone"), nullptr);
  EXPECT_EQ(*image.config(ConfigType::kBroker, "", "log.cleaner.threads"), "2");
  EXPECT_EQ(image.next_producer_id(), 2000);
}

}  // namespace
}  // namespace moldau
