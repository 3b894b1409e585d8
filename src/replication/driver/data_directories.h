// DataDirectories: the broker's log.dirs. Everything here ends up in the pool; per directory one change at a
// time, and at most `recovery_threads` logs loading beside each other (num.recovery.threads.per.data.dir).
// Owner: lane 0. `done` runs there.
#pragma once
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/blocking_pool.h"
#include "io/lane.h"
#include "log/log_directory.h"

namespace moldau {

class DataDirectories {
 public:
  struct Place {       // a partition's directory
    size_t root = 0;   // index into the roots
    std::string name;  // below it
  };
  using LogDone = std::move_only_function<void(Result<std::unique_ptr<Log>>)>;
  using Done = std::move_only_function<void(Status)>;

  // `missing`: how many more of log.dirs there are, which couldn't be opened.
  DataDirectories(io::Lane& lane, io::BlockingPool& pool, std::vector<std::unique_ptr<LogDirectory>> roots,
                  int recovery_threads, size_t missing = 0);

  size_t roots() const { return roots_.size(); }
  const LogDirectory& root(size_t index) const { return *roots_[index].directory; }
  // The root that a directory id names; nullopt: none of ours.
  std::optional<size_t> root_of(const Uuid& directory_id) const;
  // With the fewest partitions, of those that work. `planned`: by root, so many more will come.
  size_t emptiest_root(std::span<const size_t> planned) const;
  // The root can't be used any more: what is asked of it from now on fails without touching it. False: it was known.
  bool fail_root(size_t index);
  bool failed(size_t index) const { return roots_[index].failed; }
  size_t missing() const { return missing_; }
  size_t offline() const;  // of log.dirs: those that failed, and the missing ones
  // Asked in `done` of a call that has failed: whether it may succeed later, as when the disk is full.
  bool may_heal(size_t root) const { return roots_[root].may_heal; }

  void load(size_t root, const FoundLog& which, LogOpen how, LogDone done);
  void create(size_t root, std::string topic, PartitionId partition, Uuid topic_id, LogOpen how,
              LogDone done);
  // To <name>.<id>-delete or -stray; `log`, if there is one, is closed by that.
  void rename(Place place, LogDirectoryKind to, Uuid random_id, std::unique_ptr<Log> log,
              std::move_only_function<void(Result<std::string>)> done);
  void remove(Place place, Done done);
  void write_checkpoint(size_t root, CheckpointKind kind, OffsetCheckpoint offsets, Done done);
  // The last act: closes the logs, writes the checkpoints, then the clean-shutdown marker if it may.
  struct Closing {
    size_t root = 0;
    std::vector<std::unique_ptr<Log>> logs;
    OffsetCheckpoint recovery_points, high_watermarks, log_starts, cleaned;
    bool clean = true;  // nothing is left that the next start would have to recover
    int64_t broker_epoch = -1;
    WallMs now_ms = 0;
  };
  void close(Closing closing, Done done);

 private:
  struct Change {
    io::Task work;  // in the pool
    io::Task done;  // on the lane
  };
  struct Root {
    std::unique_ptr<LogDirectory> directory;
    std::deque<Change> changes;
    std::deque<Change> loads;
    bool changing = false;
    int loading = 0;
    size_t partitions = 0;  // directories of logs: found, or created since
    bool may_heal = false;
    bool failed = false;
  };

  template <class T>
  void change(size_t root, std::move_only_function<T(LogDirectory&)> work,
              std::move_only_function<void(T)> done);
  std::unexpected<Error> refused(size_t root) const;
  void next_change(size_t root);
  void next_loads(size_t root);

  io::Lane& lane_;
  io::BlockingPool& pool_;
  std::vector<Root> roots_;
  int recovery_threads_;
  const size_t missing_;
};

}  // namespace moldau
