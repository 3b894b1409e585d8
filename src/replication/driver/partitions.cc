#include "replication/driver/partitions.h"

#include <utility>

#include "replication/driver/fetch_wait.h"
#include "replication/driver/scatter.h"

namespace moldau {

size_t Partitions::lane_of(const TopicPartition& id) const {
  // Partitions of one topic go round, so that the load of a topic spreads evenly.
  const size_t topic = static_cast<size_t>(id.topic_id.high ^ id.topic_id.low);
  return (topic + static_cast<size_t>(id.partition.value)) % lanes_.size();
}

void Partitions::append(io::Lane& from, ports::AppendRequest request, ports::AppendDone done) {
  auto by_lane = split(request.parts, *this);
  const size_t count = request.parts.size();
  scatter<ports::AppendOutcome>(
      from, *this, std::move(by_lane), count, std::move(done),
      [request = std::move(request)](PartitionLane& lane, const PartitionLane::Indexes& parts,
                                     ports::AppendDone lane_done) {
        lane.append(request, parts, std::move(lane_done));
      });
}

void Partitions::fetch(io::Lane& from, std::shared_ptr<const ports::FetchRequest> request,
                       ports::FetchDone done) {
  FetchWait::start(*this, from, std::move(request), std::move(done));
}

void Partitions::list_offsets(io::Lane& from, std::vector<ports::OffsetQuery> queries,
                              ports::OffsetsDone done) {
  auto by_lane = split(queries, *this);
  const size_t count = queries.size();
  scatter<ports::OffsetAnswer>(
      from, *this, std::move(by_lane), count, std::move(done),
      [queries = std::move(queries)](PartitionLane& lane, const PartitionLane::Indexes& parts,
                                     ports::OffsetsDone lane_done) {
        lane.list_offsets(queries, parts, std::move(lane_done));
      });
}

void Partitions::end_offsets_for_epochs(io::Lane& from, std::vector<ports::EpochQuery> queries,
                                        ports::EpochsDone done) {
  auto by_lane = split(queries, *this);
  const size_t count = queries.size();
  scatter<ports::EpochAnswer>(
      from, *this, std::move(by_lane), count, std::move(done),
      [queries = std::move(queries)](PartitionLane& lane, const PartitionLane::Indexes& parts,
                                     ports::EpochsDone lane_done) {
        lane_done(lane.end_offsets_for_epochs(queries, parts));
      });
}

void Partitions::delete_records(io::Lane& from, std::vector<ports::DeleteQuery> queries,
                                ports::DeleteDone done) {
  auto by_lane = split(queries, *this);
  const size_t count = queries.size();
  scatter<ports::DeleteAnswer>(
      from, *this, std::move(by_lane), count, std::move(done),
      [queries = std::move(queries)](PartitionLane& lane, const PartitionLane::Indexes& parts,
                                     ports::DeleteDone lane_done) {
        lane_done(lane.delete_records(queries, parts));
      });
}

void Partitions::describe_producers(io::Lane& from, std::vector<TopicPartition> partitions,
                                    ports::ProducersDone done) {
  struct Part {  // what split() looks at
    TopicPartition partition;
  };
  std::vector<Part> parts_of_all;
  for (const TopicPartition& id : partitions) parts_of_all.push_back({id});
  auto by_lane = split(parts_of_all, *this);
  const size_t count = partitions.size();
  scatter<ports::ProducersAnswer>(
      from, *this, std::move(by_lane), count, std::move(done),
      [partitions = std::move(partitions)](PartitionLane& lane, const PartitionLane::Indexes& parts,
                                           ports::ProducersDone lane_done) {
        lane_done(lane.describe_producers(partitions, parts));
      });
}

}  // namespace moldau
