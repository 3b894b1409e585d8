// Assignment: brings the hosted partitions in line with the metadata log: loads or creates logs, begins and
// ends leading, removes what was deleted. One step at a time, each finished before the next and before
// clients see the image:
//
//   1  partitions of deleted topics: retire on their lane, rename the directory to -delete, remove it later
//   2  new partitions: load what was found at the start, or create; a topic may return under its old name,
//   hence after 1 3  leadership and configuration of the changed ones
//
// Invariants
//   A1  a log is opened at most once, and belongs to the lane of its partition
//   A2  when a step is done, every partition that the image gives to this broker is in its lane's table
//   A3  a directory that no image names is set aside as -stray, never removed, never served
// Owner: lane 0.
#pragma once
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "io/random.h"
#include "metadata/cluster_delta.h"
#include "replication/driver/data_directories.h"
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
    // A directory can't be used any more; the sentence says which and why.
    std::function<void(const Error&)> on_storage_failure;
  };
  explicit Assignment(Parts parts);

  // The image after the change; `done` once all lanes are in line with it. Calls don't overlap.
  void apply(std::shared_ptr<const ClusterImage> image, std::shared_ptr<const ClusterDelta> delta,
             io::Task done);

  // Writes recovery points, high watermarks and log starts, where they changed.
  void checkpoint(io::Task done);
  // Ends leading, closes all logs, writes checkpoints and clean-shutdown markers.
  void close(int64_t broker_epoch, DataDirectories::Done done);
  size_t hosted() const { return hosted_.size(); }
  // The index of the directory that a hosted partition lies in.
  std::optional<size_t> root_of(const TopicPartition& id) const {
    const auto at = hosted_.find(id);
    return at == hosted_.end() ? std::nullopt : std::optional(at->second.place.root);
  }

 private:
  struct Hosted {
    DataDirectories::Place place;
    std::string topic;
    size_t lane = 0;
  };
  struct Step;  // one apply()
  struct Offsets {
    std::string topic;
    PartitionId partition;
    size_t root = 0;
    Offset recovery_point, high_watermark, log_start;
  };

  void find_logs();
  void remove_deleted(const std::shared_ptr<Step>& step);
  void remove_one(const std::shared_ptr<Step>& step, const TopicPartition& id);
  void removed(DataDirectories::Place place, int64_t delay_ms);
  void add_new(const std::shared_ptr<Step>& step);
  void add_one(const std::shared_ptr<Step>& step, const TopicImage& topic, PartitionId partition);
  void host(const std::shared_ptr<Step>& step, const TopicPartition& id, std::unique_ptr<Log> log);
  void update_changed(const std::shared_ptr<Step>& step);
  void update_one(const std::shared_ptr<Step>& step, const TopicPartition& id, bool options_changed);
  void set_strays_aside();
  void fail_storage(const Error& error);
  void gather_offsets(std::move_only_function<void(std::vector<Offsets>)> done);

  Parts p_;
  std::map<TopicPartition, Hosted> hosted_;
  std::map<std::pair<std::string, PartitionId>, std::pair<size_t, FoundLog>>
      found_;                                                        // at the start, not loaded yet
  std::vector<std::map<CheckpointKind, OffsetCheckpoint>> written_;  // by root
  struct Removal {
    io::Timer timer;
    bool begun = false;  // the next removal drops it
  };
  std::list<Removal> removals_;
  bool first_ = true;
};

}  // namespace moldau
