// Assignment: brings the hosted partitions in line with the metadata log: loads or creates logs, begins and
// ends leading, removes what was deleted. One step at a time, each finished before the next and before
// clients see the image:
//
//   1  partitions of deleted topics: retire on their lane, rename the directory to -delete, remove it later
//
//   2  new partitions: load what was found at the start, or create; a topic may return under its old name,
//      hence after 1
//
//   3  leadership and configuration of the changed ones
//
// A partition that can't be created because the disk is full is offline until a later try succeeds: a step of its own.
//
// Invariants
//
//   A1  a log is opened at most once, and belongs to the lane of its partition
//
//   A2  when a step is done, every partition that the image gives to this broker is in its lane's table, or offline there
//
//   A3  a directory that no image names by its topic id is set aside as -stray, never removed, never served
//
//   A4  the clean-shutdown marker is written only if nothing is left to recover: all logs were loaded, or the stop before
//       this run was clean (KAFKA-15375)
//
//   A5  partitions of a directory that failed are offline until the next start, and nothing touches the directory; while one
//       couldn't be opened at the start, so is every partition without a log: it may lie there
//
// Owner: lane 0. Phase 2 is in assignment_adding.cc, checkpoints and the end in assignment_closing.cc.
#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "io/random.h"
#include "metadata/cluster_delta.h"
#include "replication/driver/checkpoints.h"
#include "replication/driver/loading_lines.h"
#include "replication/driver/partitions.h"

namespace moldau {

class Assignment {
 public:
  struct Parts {
    io::Lane& lane;
    io::Logger& logger;
    io::Random& random;
    DataDirectories& directories;
    Partitions& partitions;
    BrokerId self;
    std::function<TopicOptions(const ClusterImage&, std::string_view topic)> options_of;
    // One of the directories, by its index, can't be used any more; the sentence says why. Its partitions are offline.
    std::function<void(size_t root, const Error&)> on_root_failed;
  };
  explicit Assignment(Parts parts);

  // The image after the change; `done` once all lanes are in line with it. Calls don't overlap. After close()
  // nothing is applied any more, and `done` is dropped.
  void apply(std::shared_ptr<const ClusterImage> image, std::shared_ptr<const ClusterDelta> delta,
             io::Task done);

  // Writes recovery points, high watermarks, log starts and how far logs are compacted, where they changed.
  void checkpoint(io::Task done);
  // Ends leading, closes all logs, writes checkpoints and clean-shutdown markers. A step that is under way ends
  // first; logs that it would still load are left as they are.
  void close(int64_t broker_epoch, DataDirectories::Done done);
  size_t hosted() const { return hosted_.size(); }
  // The index of the directory that a hosted partition lies in.
  std::optional<size_t> root_of(const TopicPartition& id) const {
    const auto at = hosted_.find(id);
    return at == hosted_.end() ? std::nullopt : std::optional(at->second.place.root);
  }
  // Replicas of this broker that it can't serve: their directory has failed, or had no room for them.
  size_t offline() const { return offline_.size() + lost_.size(); }
  // A partition's log can't be written any more: takes its directory offline.
  void on_broken(const TopicPartition& id, const Error& error);

 private:
  struct Hosted {
    DataDirectories::Place place;
    std::string topic;
    size_t lane = 0;
  };
  struct Creation {
    TopicPartition id;
    Hosted hosted;
    LogOpen how;
  };
  struct Step;     // one apply(), or one try to create what is offline
  struct Closing;  // close()
  struct Offsets {
    std::string topic;
    PartitionId partition;
    size_t root = 0;
    Offset recovery_point, high_watermark, log_start;
    std::optional<Offset> cleaned;
  };

  void find_logs();
  void run(const std::shared_ptr<Step>& step);
  void finish(const std::shared_ptr<Step>& step);
  void remove_deleted(const std::shared_ptr<Step>& step);
  void remove_one(const std::shared_ptr<Step>& step, const TopicPartition& id);
  void removed(DataDirectories::Place place, int64_t delay_ms);
  void update_changed(const std::shared_ptr<Step>& step);
  void update_one(const std::shared_ptr<Step>& step, const TopicPartition& id, bool options_changed);
  void set_strays_aside();
  void set_stray_aside(size_t root, const std::string& name, const char* why);
  void fail_root(size_t root, const Error& error);
  void lose(const TopicPartition& id);

  void add_new(const std::shared_ptr<Step>& step);
  void add_one(const std::shared_ptr<Step>& step, const TopicImage& topic, PartitionId partition);
  void load(const std::shared_ptr<Step>& step, const TopicPartition& id, Hosted hosted, LogOpen how);
  void create_all(const std::shared_ptr<Step>& step, size_t root);
  void create(const std::shared_ptr<Step>& step, Creation creation);
  void not_created(size_t root, const TopicPartition& id, const Error& error);
  void set_offline(const TopicPartition& id, bool offline);
  void retry_later();
  void host(const std::shared_ptr<Step>& step, const TopicPartition& id, Hosted hosted,
            std::unique_ptr<Log> log, Offset high_watermark);

  void gather_offsets(std::move_only_function<void(std::vector<Offsets>)> done);
  void close_logs(std::shared_ptr<Closing> closing);
  void close_roots(std::shared_ptr<Closing> closing);

  Parts p_;
  Checkpoints checkpoints_;
  LoadingLines loading_{p_.lane, p_.logger};
  std::map<TopicPartition, Hosted> hosted_;  // loaded, and handed to their lanes
  std::set<TopicPartition> offline_;         // ours, but can't be created for now
  std::set<TopicPartition> lost_;            // ours, in a directory that has failed
  std::map<std::pair<std::string, PartitionId>, std::pair<size_t, FoundLog>>
      found_;  // at the start, not loaded yet
  DelayedRemovals removals_{p_.lane};
  bool first_ = true;
  bool stepping_ = false;
  std::shared_ptr<Step> waiting_step_;         // came while what is offline was being tried
  std::shared_ptr<const ClusterImage> image_;  // of the last step
  io::Timer retry_timer_;
  bool closing_ = false;
  io::Task when_idle_;  // of close()
  std::shared_ptr<std::atomic<bool>> loads_cancelled_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace moldau
