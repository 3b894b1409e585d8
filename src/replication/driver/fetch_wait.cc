#include "replication/driver/fetch_wait.h"

#include <algorithm>
#include <utility>

#include "replication/driver/scatter.h"

namespace moldau {

// What one lane's partitions tell; lives on that lane, belongs to the wait.
class FetchWait::Watch final : public GrowthListener {
 public:
  Watch(io::Lane& to, std::weak_ptr<FetchWait> wait) : to_(to), wait_(std::move(wait)) {}
  // Posted also where both are one lane: the append that tells it goes on undisturbed.
  void on_growth(int64_t bytes) override {
    to_.post([wait = wait_, bytes] {
      if (auto alive = wait.lock()) alive->grew(bytes);
    });
  }
  void on_change() override {
    to_.post([wait = wait_] {
      if (auto alive = wait.lock()) alive->changed();
    });
  }

 private:
  io::Lane& to_;
  std::weak_ptr<FetchWait> wait_;
};

void FetchWait::start(Partitions& partitions, io::Lane& from,
                      std::shared_ptr<const ports::FetchRequest> request, ports::FetchDone done) {
  std::make_shared<FetchWait>(partitions, from, std::move(request), std::move(done))->read();
}

FetchWait::FetchWait(Partitions& partitions, io::Lane& from,
                     std::shared_ptr<const ports::FetchRequest> request, ports::FetchDone done)
    : partitions_(partitions),
      from_(from),
      request_(std::move(request)),
      done_(std::move(done)),
      deadline_(from.clock().now() + request_->max_wait) {}

void FetchWait::read() {
  scatter<ports::FetchOutcome>(
      from_, partitions_, split(request_->parts, partitions_), request_->parts.size(),
      [self = shared_from_this()](std::vector<ports::FetchOutcome> outcomes) {
        self->on_read(std::move(outcomes));
      },
      [request = request_](PartitionLane& lane, const PartitionLane::Indexes& parts, ports::FetchDone done) {
        lane.fetch(request, parts, std::move(done));
      });
}

// Each lane kept to max_bytes by itself, and made the exception of one batch that is larger by itself: together they may
// have gone beyond.
void FetchWait::limit_bytes(std::vector<ports::FetchOutcome>& outcomes) const {
  int64_t left = request_->max_bytes;
  bool found = false;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    ports::FetchOutcome& outcome = outcomes[i];
    const int64_t allowed = std::min<int64_t>(left, request_->parts[i].max_bytes);
    if (found && outcome.first_batch_bytes > allowed) {  // less than a batch is of no use to the client
      outcome.records = {};
      outcome.aborted.clear();
    } else if (found && outcome.records.length > allowed) {
      outcome.records.length = allowed;
      outcome.more = true;
    }
    found = found || outcome.records.length > 0;
    left -= outcome.records.length;
  }
}

bool FetchWait::must_answer(const std::vector<ports::FetchOutcome>& outcomes) const {
  int64_t bytes = 0;
  for (const auto& outcome : outcomes) {
    if (outcome.error != ErrorCode::kNone || outcome.diverging) return true;
    // As in Kafka a segment's end ends the wait, and so does max_bytes: more is there, but not for this answer.
    if (outcome.records.length > 0 && outcome.more) return true;
    bytes += outcome.records.length;
  }
  return bytes >= request_->min_bytes || outcomes.empty() || from_.clock().now() >= deadline_;
}

void FetchWait::on_read(std::vector<ports::FetchOutcome> outcomes) {
  limit_bytes(outcomes);
  if (!must_answer(outcomes)) return wait(outcomes);
  timer_.cancel();
  watches_.clear();
  done_(std::move(outcomes));
}

void FetchWait::wait(const std::vector<ports::FetchOutcome>& outcomes) {
  missing_ = request_->min_bytes;
  std::vector<Offset> seen(outcomes.size());
  for (size_t i = 0; i < outcomes.size(); ++i) {
    missing_ -= outcomes[i].records.length;
    seen[i] = request_->read_committed ? outcomes[i].last_stable_offset : outcomes[i].high_watermark;
  }
  waiting_ = true;
  if (!timer_) {
    timer_ = from_.at(deadline_, [self = shared_from_this()] {
      if (!std::exchange(self->waiting_, false))
        return;  // a read is under way and will see that the time is up
      self->read();
    });
  }
  watches_.clear();
  auto by_lane = split(request_->parts, partitions_);
  for (size_t i = 0; i < by_lane.size(); ++i) {
    if (by_lane[i].empty()) continue;
    auto watch = std::make_shared<Watch>(from_, weak_from_this());
    watches_.push_back(watch);
    PartitionLane& lane = partitions_.lane(i);
    lane.lane().run([&lane, watch, seen, request = request_, parts = std::move(by_lane[i])] {
      for (uint32_t index : parts) {
        const auto partition = lane.find(request->parts[index].partition);
        if (!partition || !partition->leads()) return watch->on_change();
        // What came between the read and now would never be told again.
        if (partition->readable_end(request->read_committed) > seen[index])
          watch->on_growth(request->min_bytes);
        partition->add_listener(watch);
      }
    });
  }
}

void FetchWait::grew(int64_t bytes) {
  if (!waiting_) return;
  missing_ -= bytes;
  if (missing_ > 0) return;
  waiting_ = false;
  read();
}

}  // namespace moldau
