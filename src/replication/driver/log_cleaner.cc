#include "replication/driver/log_cleaner.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "log/log_cleaning.h"
#include "replication/driver/lane_walk.h"

namespace moldau {

LogCleaner::LogCleaner(Parts parts, const LogCleanerOptions& options)
    : p_(std::move(parts)), options_(options), secret_{p_.random.next(), p_.random.next()} {}

void LogCleaner::start() {
  if (options_.threads <= 0) return;
  stopped_ = false;
  pause();
}

void LogCleaner::stop() {
  stopped_ = true;
  timer_.cancel();
}

void LogCleaner::pause() {
  fruitless_.clear();
  if (std::exchange(progress_, false)) p_.on_progress();
  timer_ =
      p_.lane.after(std::chrono::milliseconds(std::max<int64_t>(options_.backoff_ms, 1)), [this] { look(); });
}

// ---- looking

void LogCleaner::look() {
  if (stopped_ || std::exchange(looking_, true)) return;
  auto all = std::make_shared<std::vector<Candidate>>();
  auto left = std::make_shared<size_t>(p_.partitions.lanes());
  for (size_t i = 0; i < p_.partitions.lanes(); ++i)
    look_at(i, [this, all, left](std::vector<Candidate> found) {
      all->insert(all->end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
      if (--*left == 0) on_look(std::move(*all));
    });
}

// Retention first, then what there is to compact.
void LogCleaner::look_at(size_t index, std::function<void(std::vector<Candidate>)> done) {
  auto found = std::make_shared<std::vector<Candidate>>();
  const auto visit = [index, found](Partition& partition, io::Task next) {
    if (!partition.log_options().cleanup_compact) return next();
    auto self = partition.shared_from_this();
    partition.retain([index, found, self, next = std::move(next)]() mutable {
      self->find_dirty(
          [index, found, self, next = std::move(next)](std::optional<CleaningCandidate> dirty) mutable {
            if (dirty) found->push_back({self->identity().id, index, *dirty});
            next();
          });
    });
  };
  LaneWalk::start(p_.partitions.lane(index), visit, [this, found, done = std::move(done)] {
    p_.lane.run([found, done] { done(std::move(*found)); });
  });
}

void LogCleaner::on_look(std::vector<Candidate> candidates) {
  looking_ = false;
  if (stopped_) return;
  std::erase_if(candidates,
                [&](const Candidate& c) { return running_.contains(c.id) || fruitless_.contains(c.id); });
  while (static_cast<int>(running_.size()) < options_.threads) {
    std::vector<CleaningCandidate> choice;
    for (const Candidate& c : candidates) choice.push_back(c.what);
    const auto dirtiest = choose_dirtiest(choice);
    if (!dirtiest) break;
    const Candidate chosen = candidates[*dirtiest];
    candidates.erase(candidates.begin() + static_cast<ptrdiff_t>(*dirtiest));
    clean(chosen);
  }
  if (running_.empty()) pause();
}

// ---- cleaning

void LogCleaner::clean(const Candidate& candidate) {
  running_.insert(candidate.id);
  const CleaningOptions how{{options_.dedupe_buffer_bytes / options_.threads, options_.buffer_load_factor},
                            secret_};
  PartitionLane& lane = p_.partitions.lane(candidate.lane);
  lane.lane().post([this, &lane, id = candidate.id, section = candidate.what.section, how] {
    const auto partition = lane.find(id);
    auto done = [this, id](bool something) {
      p_.lane.post([this, id, something] { on_cleaned(id, something); });
    };
    if (!partition) return done(false);
    partition->clean(section, how, options_.bytes_per_second / options_.threads, std::move(done));
  });
}

void LogCleaner::on_cleaned(const TopicPartition& id, bool something) {
  running_.erase(id);
  progress_ |= something;
  if (!something) fruitless_.insert(id);
  if (!stopped_) look();
}

}  // namespace moldau
