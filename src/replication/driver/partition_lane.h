// PartitionLane: the partitions of one lane, and the requests to them. Every call is made on the lane; `done`
// runs on it, at once where nothing has to wait.
#pragma once
#include <absl/container/flat_hash_map.h>

#include <memory>
#include <set>
#include <vector>

#include "replication/driver/partition.h"

namespace moldau {

class PartitionLane {
 public:
  PartitionLane(io::Lane& lane, io::BlockingPool& pool, io::Logger& logger, BrokerId self, size_t open_files);

  io::Lane& lane() { return host_->lane; }
  const std::shared_ptr<PartitionHost>& host() { return host_; }
  void add(std::shared_ptr<Partition> partition);  // which is online from here on
  void remove(const TopicPartition& id) { partitions_.erase(id); }
  std::shared_ptr<Partition> find(const TopicPartition& id) const;
  // A replica that is this broker's, but whose log can't be made just now.
  void set_offline(const TopicPartition& id, bool offline);
  // What a request gets that find() has nothing for.
  ErrorCode error_of_missing(const TopicPartition& id) const {
    return offline_.contains(id) ? ErrorCode::kKafkaStorageError : ErrorCode::kNotLeaderOrFollower;
  }
  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto& [id, partition] : partitions_) visit(partition);
  }
  size_t size() const { return partitions_.size(); }
  // From here on forgets expired producers every `interval` (producer.id.expiration.check.interval.ms), until it is stopped.
  void start_upkeep(Duration interval);
  void stop_upkeep() { upkeep_.cancel(); }

  // `parts` are indexes into request.parts.
  using Indexes = std::vector<uint32_t>;
  void append(const ports::AppendRequest& request, const Indexes& parts, ports::AppendDone done);
  void fetch(std::shared_ptr<const ports::FetchRequest> request, Indexes parts, ports::FetchDone done);
  void list_offsets(const std::vector<ports::OffsetQuery>& queries, const Indexes& parts,
                    ports::OffsetsDone done);
  std::vector<ports::EpochAnswer> end_offsets_for_epochs(const std::vector<ports::EpochQuery>& queries,
                                                         const Indexes& parts) const;

 private:
  std::shared_ptr<PartitionHost> host_;
  absl::flat_hash_map<TopicPartition, std::shared_ptr<Partition>> partitions_;
  std::set<TopicPartition> offline_;
  io::Timer upkeep_;
};

}  // namespace moldau
