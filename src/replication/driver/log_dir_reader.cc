#include "replication/driver/log_dir_reader.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace moldau {

struct LogDirReader::Reading {
  io::Lane& from;
  std::function<void(std::vector<ports::LogDir>)> done;
  std::vector<ports::LogDir> dirs;
  size_t lanes_left = 0;
};

void LogDirReader::describe(io::Lane& from, std::function<void(std::vector<ports::LogDir>)> done) {
  auto reading = std::make_shared<Reading>(from, std::move(done));
  p_.lane.run([this, reading] { gather(reading); });
}

void LogDirReader::gather(const std::shared_ptr<Reading>& reading) {
  for (const auto& [path, root] : p_.dirs) {
    ports::LogDir& dir = reading->dirs.emplace_back();
    dir.path = path;
    if (!root || p_.directories.failed(*root)) dir.error = ErrorCode::kKafkaStorageError;
    if (!root) continue;
    if (const auto& properties = p_.directories.root(*root).meta_properties())
      dir.directory_id = properties->directory_id.value_or(Uuid());
  }
  reading->lanes_left = p_.partitions.lanes();
  for (size_t i = 0; i < p_.partitions.lanes(); ++i) {
    PartitionLane& lane = p_.partitions.lane(i);
    lane.lane().run([this, reading, &lane] {
      std::vector<std::pair<TopicPartition, ports::LogDirPartition>> some;
      lane.for_each([&](const std::shared_ptr<Partition>& partition) {
        const auto& [id, topic] = partition->identity();
        const int64_t lag = partition->high_watermark() - partition->log().log_end();
        some.emplace_back(id, ports::LogDirPartition{topic, id.partition, partition->log().size(),
                                                     std::max<int64_t>(lag, 0)});
      });
      p_.lane.run([this, reading, some = std::move(some)]() mutable {
        for (auto& [id, partition] : some)
          if (const auto root = p_.assignment.root_of(id))
            reading->dirs[position_of(*root)].partitions.push_back(std::move(partition));
        if (--reading->lanes_left == 0) measure(reading);
      });
    });
  }
}

size_t LogDirReader::position_of(size_t root) const {
  return static_cast<size_t>(std::ranges::find(p_.dirs, std::optional(root), &Dir::root) - p_.dirs.begin());
}

void LogDirReader::measure(const std::shared_ptr<Reading>& reading) {
  for (ports::LogDir& dir : reading->dirs)
    std::ranges::sort(dir.partitions, {},
                      [](const ports::LogDirPartition& p) { return std::tie(p.topic, p.partition); });
  p_.pool.run(
      p_.lane,
      [&files = p_.files, reading] {
        for (ports::LogDir& dir : reading->dirs) {
          if (dir.error != ErrorCode::kNone) continue;
          if (const auto space = files.space(dir.path))
            dir.total_bytes = space->total_bytes, dir.usable_bytes = space->usable_bytes;
          else
            dir.error = ErrorCode::kKafkaStorageError;
        }
      },
      [reading] {
        reading->from.run([reading] { std::exchange(reading->done, {})(std::move(reading->dirs)); });
      });
}

}  // namespace moldau
