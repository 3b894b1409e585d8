#include "metadata/driver/snapshot_maker.h"

#include "metadata/image_writer.h"

namespace moldau {
namespace {

constexpr std::string_view kComponent = "metadata";

Status write_snapshot(const ClusterImage& image, SnapshotWriter& writer) {
  Status status;
  write_image(image, [&](const RecordBuffer& records) {
    if (!status) return;
    std::vector<Bytes> batch;
    for (size_t i = 0; i < records.size(); ++i) batch.push_back(records[i]);
    status = writer.add(batch);
  });
  if (status) status = writer.finish();
  if (!status) writer.discard();
  return status;
}

}  // namespace

SnapshotMaker::SnapshotMaker(io::Runtime& runtime, RaftDriver& raft, MetadataFollower& follower,
                             SnapshotOptions options)
    : runtime_(runtime),
      lane_(*runtime.lanes().front()),
      raft_(raft),
      follower_(follower),
      options_(options),
      last_(lane_.clock().now()) {}

Status SnapshotMaker::on_snapshot_end(WallMs) {
  bytes_since_ = 0;
  return {};
}

Status SnapshotMaker::on_commit(const CommittedBatch& batch) {
  if (!batch.records.empty()) bytes_since_ += batch.bytes;
  return {};
}

Status SnapshotMaker::on_commits_delivered() {
  consider();
  return {};
}

void SnapshotMaker::consider() {
  if (making_ || bytes_since_ == 0 || follower_.replay().in_transaction()) return;
  const Duration interval = std::chrono::milliseconds(options_.max_interval_ms);
  const Instant now = lane_.clock().now();
  const bool enough = bytes_since_ >= options_.max_bytes_between;
  const bool late = options_.max_interval_ms > 0 && now - last_ >= interval;
  if (enough || late) {
    timer_.cancel();
    make(std::make_shared<const ClusterImage>(follower_.replay().image()),
         enough ? std::to_string(bytes_since_) + " bytes were committed since the last one"
                : "the last one is old");
  } else if (options_.max_interval_ms > 0 && !timer_) {
    timer_ = lane_.at(last_ + interval, [this] {
      timer_.cancel();
      consider();
    });
  }
}

void SnapshotMaker::make(std::shared_ptr<const ClusterImage> image, const std::string& why) {
  last_ = lane_.clock().now();
  bytes_since_ = 0;
  std::shared_ptr<SnapshotWriter> writer = raft_.begin_snapshot(image->end(), image->last_timestamp());
  if (!writer) return;
  making_ = true;
  runtime_.logger().info(kComponent, "makes snapshot " + snapshot_name(writer->id()) + ": " + why);
  auto outcome = std::make_shared<Status>();
  runtime_.pool().run(
      lane_, [image, writer, outcome] { *outcome = write_snapshot(*image, *writer); },
      [this, life = std::weak_ptr(life_), writer, outcome] {
        if (life.expired()) return;
        making_ = false;
        if (*outcome)
          raft_.complete_snapshot(writer->info());
        else
          runtime_.logger().error(kComponent, "couldn't make snapshot " + snapshot_name(writer->id()) + ": " +
                                                  outcome->error().message);
      });
}

}  // namespace moldau
