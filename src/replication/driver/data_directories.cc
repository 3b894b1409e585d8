#include "replication/driver/data_directories.h"

#include <algorithm>
#include <utility>

namespace moldau {

DataDirectories::DataDirectories(io::Lane& lane, io::BlockingPool& pool,
                                 std::vector<std::unique_ptr<LogDirectory>> roots, int recovery_threads,
                                 size_t missing)
    : lane_(lane), pool_(pool), recovery_threads_(recovery_threads), missing_(missing) {
  for (auto& directory : roots) {
    const auto logs = std::ranges::count_if(
        directory->found(), [](const FoundLog& log) { return log.parsed.kind == LogDirectoryKind::kLog; });
    roots_.push_back(Root{.directory = std::move(directory), .partitions = static_cast<size_t>(logs)});
  }
}

std::optional<size_t> DataDirectories::root_of(const Uuid& directory_id) const {
  for (size_t i = 0; i < roots_.size(); ++i) {
    const auto& properties = roots_[i].directory->meta_properties();
    if (properties && properties->directory_id == directory_id) return i;
  }
  return std::nullopt;
}

size_t DataDirectories::emptiest_root(std::span<const size_t> planned) const {
  size_t best = 0;
  const auto load = [&](size_t i) { return std::pair(roots_[i].failed, roots_[i].partitions + planned[i]); };
  for (size_t i = 1; i < roots_.size(); ++i)
    if (load(i) < load(best)) best = i;
  return best;
}

bool DataDirectories::fail_root(size_t index) {
  return !std::exchange(roots_[index].failed, true);
}

size_t DataDirectories::offline() const {
  return missing_ + static_cast<size_t>(std::ranges::count_if(roots_, &Root::failed));
}

std::unexpected<Error> DataDirectories::refused(size_t root) const {
  return fail(ErrorCode::kKafkaStorageError, roots_[root].directory->root() + " is offline");
}

// ---- order

template <class T>
void DataDirectories::change(size_t root, std::move_only_function<T(LogDirectory&)> work,
                             std::move_only_function<void(T)> done) {
  if (roots_[root].failed) {
    roots_[root].may_heal = false;
    return done(refused(root));
  }
  auto outcome = std::make_shared<std::optional<T>>();
  LogDirectory& directory = *roots_[root].directory;
  roots_[root].changes.push_back(
      {[&directory, outcome, work = std::move(work)]() mutable { outcome->emplace(work(directory)); },
       [outcome, done = std::move(done)]() mutable { done(std::move(**outcome)); }});
  next_change(root);
}

void DataDirectories::next_change(size_t index) {
  Root& root = roots_[index];
  if (root.changing || root.changes.empty()) return;
  root.changing = true;
  Change next = std::move(root.changes.front());
  root.changes.pop_front();
  pool_.run(lane_, std::move(next.work), [this, index, done = std::move(next.done)]() mutable {
    roots_[index].changing = false;
    roots_[index].may_heal = roots_[index].directory->may_heal();
    done();
    next_change(index);
  });
}

void DataDirectories::next_loads(size_t index) {
  Root& root = roots_[index];
  while (root.loading < recovery_threads_ && !root.loads.empty()) {
    ++root.loading;
    Change next = std::move(root.loads.front());
    root.loads.pop_front();
    pool_.run(lane_, std::move(next.work), [this, index, done = std::move(next.done)]() mutable {
      --roots_[index].loading;
      done();
      next_loads(index);
    });
  }
}

// ---- what can be asked for

void DataDirectories::load(size_t root, const FoundLog& which, LogOpen how, LogDone done) {
  if (roots_[root].failed) return done(refused(root));
  auto outcome = std::make_shared<std::optional<Result<std::unique_ptr<Log>>>>();
  LogDirectory& directory = *roots_[root].directory;
  roots_[root].loads.push_back({[&directory, outcome, which, how = std::move(how)]() mutable {
                                  if (how.progress && !how.progress({}))  // not begun any more
                                    outcome->emplace(fail(ErrorCode::kKafkaStorageError, which.name));
                                  else
                                    outcome->emplace(directory.load(which, std::move(how)));
                                },
                                [outcome, done = std::move(done)]() mutable { done(std::move(**outcome)); }});
  next_loads(root);
}

void DataDirectories::create(size_t root, std::string topic, PartitionId partition, Uuid topic_id,
                             LogOpen how, LogDone done) {
  ++roots_[root].partitions;
  change<Result<std::unique_ptr<Log>>>(
      root,
      [topic = std::move(topic), partition, topic_id, how = std::move(how)](LogDirectory& directory) mutable {
        return directory.create(topic, partition, topic_id, std::move(how));
      },
      [this, root, done = std::move(done)](Result<std::unique_ptr<Log>> log) mutable {
        if (!log) --roots_[root].partitions;
        done(std::move(log));
      });
}

void DataDirectories::rename(Place place, LogDirectoryKind to, Uuid random_id, std::unique_ptr<Log> log,
                             std::move_only_function<void(Result<std::string>)> done) {
  --roots_[place.root].partitions;
  change<Result<std::string>>(
      place.root,
      [name = std::move(place.name), to, random_id, log = std::move(log)](LogDirectory& directory) mutable {
        log.reset();
        return directory.rename(name, to, random_id);
      },
      std::move(done));
}

void DataDirectories::remove(Place place, Done done) {
  change<Status>(
      place.root, [name = std::move(place.name)](LogDirectory& directory) { return directory.remove(name); },
      std::move(done));
}

void DataDirectories::write_checkpoint(size_t root, CheckpointKind kind, OffsetCheckpoint offsets,
                                       Done done) {
  change<Status>(
      root,
      [kind, offsets = std::move(offsets)](LogDirectory& directory) {
        return directory.write_checkpoint(kind, offsets);
      },
      std::move(done));
}

void DataDirectories::close(Closing closing, Done done) {
  const size_t root = closing.root;
  change<Status>(
      root,
      [closing = std::move(closing)](LogDirectory& directory) mutable -> Status {
        for (auto& log : closing.logs) TRY(log->close(closing.now_ms));
        closing.logs.clear();
        TRY(directory.write_checkpoint(CheckpointKind::kRecoveryPoint, closing.recovery_points));
        TRY(directory.write_checkpoint(CheckpointKind::kHighWatermark, closing.high_watermarks));
        TRY(directory.write_checkpoint(CheckpointKind::kLogStart, closing.log_starts));
        TRY(directory.write_checkpoint(CheckpointKind::kCleaner, closing.cleaned));
        return closing.clean ? directory.write_clean_shutdown(closing.broker_epoch) : Status();
      },
      std::move(done));
}

}  // namespace moldau
