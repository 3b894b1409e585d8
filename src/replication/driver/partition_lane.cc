#include "replication/driver/partition_lane.h"

#include <utility>

#include "replication/driver/lane_fetch.h"

namespace moldau {

PartitionLane::PartitionLane(io::Lane& lane, io::BlockingPool& pool, io::Logger& logger, BrokerId self,
                             size_t open_files)
    : host_(new PartitionHost{lane, pool, logger, self, FileCache(open_files)}) {}

void PartitionLane::add(std::shared_ptr<Partition> partition) {
  const TopicPartition id = partition->identity().id;
  offline_.erase(id);
  partitions_.insert_or_assign(id, std::move(partition));
}

std::shared_ptr<Partition> PartitionLane::find(const TopicPartition& id) const {
  const auto at = partitions_.find(id);
  return at == partitions_.end() ? nullptr : at->second;
}

void PartitionLane::set_offline(const TopicPartition& id, bool offline) {
  if (offline)
    offline_.insert(id);
  else
    offline_.erase(id);
}

void PartitionLane::start_upkeep(Duration interval) {
  upkeep_ = lane().after(interval, [this, interval] {
    for_each([](const std::shared_ptr<Partition>& partition) { partition->expire_producers(); });
    start_upkeep(interval);
  });
}

namespace {

// Outcomes of which some come later; calls `done` with the last.
template <class Outcome>
struct Collector {
  std::vector<Outcome> outcomes;
  std::vector<bool> comes_later;
  size_t missing = 1;  // one more than are under way: it can't be done before all have been asked
  std::move_only_function<void(std::vector<Outcome>)> done;

  void finish_one() {
    if (--missing == 0) done(std::move(outcomes));
  }
};

template <class Outcome>
class CollectLater final : public Later<Outcome> {
 public:
  CollectLater(std::shared_ptr<Collector<Outcome>>& collector, size_t count, size_t index)
      : collector_(collector), count_(count), index_(index) {}
  std::move_only_function<void(Outcome)> take() override {
    if (!collector_)
      collector_ =
          std::make_shared<Collector<Outcome>>(std::vector<Outcome>(count_), std::vector<bool>(count_));
    collector_->comes_later[index_] = true;
    ++collector_->missing;
    return [collector = collector_, index = index_](Outcome outcome) {
      collector->outcomes[index] = std::move(outcome);
      collector->finish_one();
    };
  }

 private:
  std::shared_ptr<Collector<Outcome>>& collector_;  // made for the first that comes later: mostly none does
  size_t count_, index_;
};

// Runs `one(index, later)` for each; it gives an outcome, or takes `later` and calls that once there is one.
template <class Outcome, class One>
void collect(size_t count, std::move_only_function<void(std::vector<Outcome>)> done, One&& one) {
  std::vector<Outcome> outcomes(count);
  std::shared_ptr<Collector<Outcome>> collector;
  for (size_t i = 0; i < count; ++i) {
    CollectLater<Outcome> later(collector, count, i);
    if (auto outcome = one(i, later)) outcomes[i] = std::move(*outcome);
  }
  if (!collector) return done(std::move(outcomes));
  for (size_t i = 0; i < count; ++i)
    if (!collector->comes_later[i]) collector->outcomes[i] = std::move(outcomes[i]);
  collector->done = std::move(done);
  collector->finish_one();
}

}  // namespace

void PartitionLane::append(const ports::AppendRequest& request, const Indexes& parts,
                           ports::AppendDone done) {
  collect<ports::AppendOutcome>(
      parts.size(), std::move(done), [&](size_t i, auto& later) -> std::optional<ports::AppendOutcome> {
        const ports::AppendPart& part = request.parts[parts[i]];
        const auto partition = find(part.partition);
        if (!partition) return ports::AppendOutcome{.error = error_of_missing(part.partition)};
        return partition->append(
            {request.frame.span().subspan(part.position, part.size), request.acks, request.produce_version},
            later);
      });
}

void PartitionLane::fetch(std::shared_ptr<const ports::FetchRequest> request, Indexes parts,
                          ports::FetchDone done) {
  LaneFetch::start(*this, std::move(request), std::move(parts), std::move(done));
}

void PartitionLane::list_offsets(const std::vector<ports::OffsetQuery>& queries, const Indexes& parts,
                                 ports::OffsetsDone done) {
  collect<ports::OffsetAnswer>(parts.size(), std::move(done),
                               [&](size_t i, auto& later) -> std::optional<ports::OffsetAnswer> {
                                 const ports::OffsetQuery& query = queries[parts[i]];
                                 const auto partition = find(query.partition);
                                 if (!partition)
                                   return ports::OffsetAnswer{.error = error_of_missing(query.partition)};
                                 return partition->find_offset(query, later);
                               });
}

std::vector<ports::EpochAnswer> PartitionLane::end_offsets_for_epochs(
    const std::vector<ports::EpochQuery>& queries, const Indexes& parts) const {
  std::vector<ports::EpochAnswer> answers;
  answers.reserve(parts.size());
  for (uint32_t index : parts) {
    const auto partition = find(queries[index].partition);
    answers.push_back(partition ? partition->end_offset_for_epoch(queries[index])
                                : ports::EpochAnswer{.error = error_of_missing(queries[index].partition)});
  }
  return answers;
}

std::vector<ports::DeleteAnswer> PartitionLane::delete_records(const std::vector<ports::DeleteQuery>& queries,
                                                               const Indexes& parts) const {
  std::vector<ports::DeleteAnswer> answers;
  for (uint32_t index : parts) {
    const auto partition = find(queries[index].partition);
    answers.push_back(partition ? partition->delete_records(queries[index].offset)
                                : ports::DeleteAnswer{.error = ErrorCode::kNotLeaderOrFollower});
  }
  return answers;
}

std::vector<ports::ProducersAnswer> PartitionLane::describe_producers(
    const std::vector<TopicPartition>& partitions, const Indexes& parts) const {
  std::vector<ports::ProducersAnswer> answers;
  for (uint32_t index : parts) {
    const auto partition = find(partitions[index]);
    answers.push_back(partition ? partition->describe_producers()
                                : ports::ProducersAnswer{ErrorCode::kNotLeaderOrFollower, {}});
  }
  return answers;
}

}  // namespace moldau
