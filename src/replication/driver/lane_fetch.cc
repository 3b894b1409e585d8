#include "replication/driver/lane_fetch.h"

#include <algorithm>
#include <array>

namespace moldau {

void LaneFetch::start(PartitionLane& lane, std::shared_ptr<const ports::FetchRequest> request,
                      PartitionLane::Indexes parts, ports::FetchDone done) {
  std::make_shared<LaneFetch>(lane, std::move(request), std::move(parts), std::move(done))->run();
}

LaneFetch::LaneFetch(PartitionLane& lane, std::shared_ptr<const ports::FetchRequest> request,
                     PartitionLane::Indexes parts, ports::FetchDone done)
    : lane_(lane),
      request_(std::move(request)),
      parts_(std::move(parts)),
      done_(std::move(done)),
      left_(request_->max_bytes) {
  outcomes_.reserve(parts_.size());
}

void LaneFetch::run() {
  while (outcomes_.size() < parts_.size()) {
    if (!read_next(nullptr)) return;
  }
  warm(0);
}

bool LaneFetch::read_next(const std::shared_ptr<ColdRead>& answered) {
  const ports::FetchPart& part = request_->parts[parts_[outcomes_.size()]];
  const auto partition = lane_.find(part.partition);
  if (!partition) {
    outcomes_.push_back({.error = lane_.error_of_missing(part.partition)});
    return true;
  }
  auto read = partition->read(part, request_->read_committed, std::max<int64_t>(left_, 0), !found_, answered);
  if (read.cold) {
    lane_.host()->pool.run(
        lane_.lane(), [cold = read.cold] { cold->run(); },
        [self = shared_from_this(), cold = read.cold] {
          if (self->read_next(cold)) self->run();
        });
    return false;
  }
  found_ = found_ || read.outcome.records.length > 0;
  left_ -= read.outcome.records.length;
  outcomes_.push_back(std::move(read.outcome));
  return true;
}

// sendfile of a page that isn't in memory would hold up every connection of the lane: the pool reads it
// first.
void LaneFetch::warm(size_t from) {
  for (size_t i = from; i < outcomes_.size(); ++i) {
    const io::FileRange& range = outcomes_[i].records;
    if (range.length == 0 || range.file->cached(range.position, range.length)) continue;
    lane_.host()->pool.run(
        lane_.lane(), [range] { io::read_into_cache(range); },
        [self = shared_from_this(), i] { self->warm(i + 1); });
    return;
  }
  done_(std::move(outcomes_));
}

}  // namespace moldau
