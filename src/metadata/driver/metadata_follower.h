// MetadataFollower: turns the committed metadata log into images and shows them to this node, on every node alike.
// Owner: lane 0.
//
//   raft: batches ──► ImageReplay ──► subscriber 1 ──► subscriber 2 ──► … ──► every lane ──► published_end() rises
//                         ▲ what is committed meanwhile goes into the next delta
//
// Invariants
//   F1  subscribers are called one after the other, in the order of add_subscriber; never two changes at once
//   F2  images are shown at the ends of batches, never inside a transaction
//   F3  a lane sees an image only after all subscribers have done with it
//   F4  an image whose feature levels this release lacks isn't shown: that is a fault
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "io/runtime.h"
#include "metadata/driver/image_subscriber.h"
#include "metadata/driver/lane_images.h"
#include "metadata/image_replay.h"
#include "raft/driver/raft_listener.h"

namespace moldau {

class MetadataFollower final : public RaftListener {
 public:
  explicit MetadataFollower(io::Runtime& runtime);

  // Before raft starts. Subscribers outlive the follower.
  void add_subscriber(ImageSubscriber& subscriber) { subscribers_.push_back(&subscriber); }

  LaneImages& images() { return images_; }
  // Everything before this offset has been shown on all lanes.
  Offset published_end() const { return published_end_; }
  // Runs the task on lane 0 once published_end() >= end; now if it already is.
  void when_published(Offset end, io::Task task);
  // What is applied, shown or not: where a new controller begins.
  const ImageReplay& replay() const { return replay_; }

  // RaftListener
  Status on_snapshot_begin(const OffsetAndEpoch& id) override;
  Status on_snapshot_batch(std::span<const Bytes> records) override;
  Status on_snapshot_end(WallMs last_timestamp) override;
  Status on_commit(const CommittedBatch& batch) override;
  Status on_commits_delivered() override;

 private:
  void publish_if_idle();
  void apply_to(size_t subscriber, ImageChange change);
  void show(std::shared_ptr<const ClusterImage> image);
  void on_shown(Offset end);

  std::vector<ImageSubscriber*> subscribers_;
  LaneImages images_;
  ImageReplay replay_;
  OffsetAndEpoch snapshot_;  // that is being loaded
  Offset published_end_{0};
  bool publishing_ = false;
  std::multimap<Offset, io::Task> waiting_;                // for published_end_ >= key
  std::shared_ptr<char> life_ = std::make_shared<char>();  // tasks that find it gone do nothing
};

}  // namespace moldau
