// ImageReplay: brings an image forward record by record. The only writer of images. Pure; one owner.
//
// Transactions (KIP-868): from BeginTransactionRecord on nothing is seen outside until the end;
// AbortTransactionRecord drops what was in between.
//
//   none ──Begin──► open ──End──► none
//                    └────Abort──► none, as before Begin
//
// Invariants
//   R1  equal records on equal images give equal images, on every node
//   R2  after an error the replay isn't used any more: the log is damaged or newer than this release. Nothing
//   is skipped
//       silently: a record type that the image can't hold is an error too
#pragma once
#include <memory>
#include <optional>

#include "metadata/cluster_delta.h"
#include "metadata/cluster_image.h"
#include "metadata/record_buffer.h"
#include "protocol/metadata_record.h"

namespace moldau {

struct RecordPosition {
  Offset offset;
  LeaderEpoch epoch;
  WallMs timestamp = -1;  // of the batch
};

// An image, and how it differs from the one before, which delta->before is: that of the previous change, an
// empty one the first time.
struct ImageChange {
  std::shared_ptr<const ClusterImage> image;
  std::shared_ptr<const ClusterDelta> delta;
};

class ImageReplay {
 public:
  explicit ImageReplay(std::shared_ptr<const ClusterImage> start = std::make_shared<ClusterImage>());

  // Errors name the record's type and offset.
  Status replay(Bytes record, const RecordPosition& at);
  // For a batch without metadata records (of control records): only the position advances.
  void advance(const RecordPosition& at);
  // Replaces everything by a snapshot: its records follow, all as of its last one's position.
  void begin_snapshot();
  void end_snapshot(const RecordPosition& last);

  // The image as of now. Not for others to see while a transaction is open.
  const ClusterImage& image() const { return image_; }
  bool in_transaction() const { return before_transaction_.has_value(); }
  const ClusterImage& before_transaction() const { return before_transaction_->image; }  // of the open one
  Offset transaction_start() const { return transaction_start_; }  // where the open one begins
  // Whether anything happened since the last take().
  bool has_news() const { return news_; }
  // The image and what changed since the last take(). Not within a transaction or a snapshot.
  ImageChange take();

 private:
  struct Saved {
    ClusterImage image;
    ClusterDelta delta;
  };

  Status apply(const protocol::MetadataRecord& record, const RecordPosition& at);
  Status begin_transaction(const RecordPosition& at);
  Status end_transaction(bool commit);
  void reset_delta(std::shared_ptr<const ClusterImage> before);

  ClusterImage image_;
  ClusterDelta delta_;
  std::optional<Saved> before_transaction_;
  Offset transaction_start_{-1};
  bool in_snapshot_ = false;
  bool news_ = false;
};

}  // namespace moldau
