// Partitions: all partitions of the broker; sends each part of a request to the lane that owns it and puts
// the outcomes together again, in the order of the request.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "replication/driver/partition_lane.h"

namespace moldau {

class Partitions final : public ports::PartitionsPort {
 public:
  explicit Partitions(std::vector<std::unique_ptr<PartitionLane>> lanes) : lanes_(std::move(lanes)) {}

  // The owner of a partition: always the same lane while the process runs.
  size_t lane_of(const TopicPartition& id) const;
  PartitionLane& lane(size_t index) { return *lanes_[index]; }
  size_t lanes() const { return lanes_.size(); }

  void append(io::Lane& from, ports::AppendRequest request, ports::AppendDone done) override;
  void fetch(io::Lane& from, std::shared_ptr<const ports::FetchRequest> request,
             ports::FetchDone done) override;
  void list_offsets(io::Lane& from, std::vector<ports::OffsetQuery> queries,
                    ports::OffsetsDone done) override;
  void end_offsets_for_epochs(io::Lane& from, std::vector<ports::EpochQuery> queries,
                              ports::EpochsDone done) override;
  void delete_records(io::Lane& from, std::vector<ports::DeleteQuery> queries,
                      ports::DeleteDone done) override;
  void describe_producers(io::Lane& from, std::vector<TopicPartition> partitions,
                          ports::ProducersDone done) override;

 private:
  std::vector<std::unique_ptr<PartitionLane>> lanes_;
};

}  // namespace moldau
