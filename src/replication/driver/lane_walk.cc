#include "replication/driver/lane_walk.h"

#include <utility>

namespace moldau {
namespace {

constexpr int kVisitsAtOnce = 64;

}  // namespace

void LaneWalk::start(PartitionLane& lane, Visit visit, io::Task done) {
  std::shared_ptr<LaneWalk> walk(new LaneWalk(lane, std::move(visit), std::move(done)));
  lane.lane().run([walk] {
    walk->lane_.for_each(
        [&](const std::shared_ptr<Partition>& partition) { walk->partitions_.push_back(partition); });
    walk->run();
  });
}

// A loop, not a recursion: most visits end before they return.
void LaneWalk::run() {
  running_ = true;
  for (int visits = 0; !partitions_.empty(); ++visits) {
    if (visits == kVisitsAtOnce) {
      running_ = false;
      return lane_.lane().post([self = shared_from_this()] { self->run(); });
    }
    const std::shared_ptr<Partition> partition = std::move(partitions_.back());
    partitions_.pop_back();
    returned_ = false;
    visit_(*partition, [self = shared_from_this()] { self->next(); });
    if (!returned_) {
      running_ = false;
      return;
    }
  }
  std::exchange(done_, {})();
}

void LaneWalk::next() {
  returned_ = true;
  if (!running_) run();
}

}  // namespace moldau
