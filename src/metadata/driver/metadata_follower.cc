#include "metadata/driver/metadata_follower.h"

namespace moldau {

MetadataFollower::MetadataFollower(io::Runtime& runtime) : images_(runtime.lanes()) {}

// ---- what raft says

Status MetadataFollower::on_snapshot_begin(const OffsetAndEpoch& id) {
  snapshot_ = id;
  replay_.begin_snapshot();
  return {};
}

Status MetadataFollower::on_snapshot_batch(std::span<const Bytes> records) {
  const RecordPosition last{snapshot_.offset - int64_t{1}, snapshot_.epoch};
  for (Bytes record : records) TRY(replay_.replay(record, last));
  return {};
}

Status MetadataFollower::on_snapshot_end(WallMs last_timestamp) {
  replay_.end_snapshot({snapshot_.offset - int64_t{1}, snapshot_.epoch, last_timestamp});
  return {};
}

Status MetadataFollower::on_commit(const CommittedBatch& batch) {
  Offset offset = batch.base_offset;
  for (Bytes record : batch.records) {
    TRY(replay_.replay(record, {offset, batch.epoch, batch.timestamp}));
    ++offset;
  }
  replay_.advance({batch.last_offset, batch.epoch, batch.timestamp});
  return {};
}

Status MetadataFollower::on_commits_delivered() {
  if (replay_.in_transaction()) return {};
  TRY(check_supported(replay_.image().features()));
  publish_if_idle();
  return {};
}

// ---- what this node sees

void MetadataFollower::publish_if_idle() {
  if (publishing_ || replay_.in_transaction() || !replay_.has_news()) return;
  publishing_ = true;
  apply_to(0, replay_.take());
}

void MetadataFollower::apply_to(size_t subscriber, ImageChange change) {
  if (subscriber == subscribers_.size() || change.delta->empty()) return show(std::move(change.image));
  io::Task next = [this, life = std::weak_ptr(life_), subscriber, change]() mutable {
    if (!life.expired()) apply_to(subscriber + 1, std::move(change));
  };
  subscribers_[subscriber]->apply(change, std::move(next));
}

void MetadataFollower::show(std::shared_ptr<const ClusterImage> image) {
  const Offset end = image->end().offset;
  images_.publish(std::move(image), [this, life = std::weak_ptr(life_), end] {
    if (!life.expired()) on_shown(end);
  });
}

void MetadataFollower::on_shown(Offset end) {
  published_end_ = end;
  publishing_ = false;
  publish_if_idle();
  while (!waiting_.empty() && waiting_.begin()->first <= published_end_) {
    io::Task task = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    task();
  }
}

void MetadataFollower::when_published(Offset end, io::Task task) {
  if (published_end_ >= end) return task();
  waiting_.emplace(end, std::move(task));
}

}  // namespace moldau
