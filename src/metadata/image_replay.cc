#include "metadata/image_replay.h"

#include "base/assert.h"
#include "metadata/record_applier.h"

namespace moldau {
namespace {

using protocol::MetadataRecordType;

Error at_position(Error error, Offset offset, std::string what) {
  error.message =
      "metadata log, offset " + std::to_string(offset.value) + ", " + std::move(what) + ": " + error.message;
  return error;
}

}  // namespace

ImageReplay::ImageReplay(std::shared_ptr<const ClusterImage> start) : image_(*start) {
  reset_delta(std::move(start));
}

void ImageReplay::reset_delta(std::shared_ptr<const ClusterImage> before) {
  delta_ = {};
  delta_.before = std::move(before);
}

void ImageReplay::advance(const RecordPosition& at) {
  image_.offset_ = at.offset;
  image_.epoch_ = at.epoch;
  image_.last_timestamp_ = at.timestamp;
  news_ = true;
}

Status ImageReplay::replay(Bytes record, const RecordPosition& at) {
  auto frame = parse_record_frame(record);
  if (!frame) return std::unexpected(at_position(std::move(frame).error(), at.offset, "a record"));
  Status done;
  switch (frame->type) {
    case MetadataRecordType::kBeginTransaction:
    case MetadataRecordType::kEndTransaction:
    case MetadataRecordType::kAbortTransaction: done = replay_transaction(*frame, at); break;
    default: done = RecordApplier(image_, delta_, at.offset).apply(*frame);
  }
  if (!done)
    return std::unexpected(
        at_position(std::move(done).error(), at.offset, record_type_name(static_cast<int16_t>(frame->type))));
  if (!in_snapshot_) advance(at);
  return {};
}

Status ImageReplay::replay_transaction(const RecordFrame& frame, const RecordPosition& at) {
  if (in_snapshot_) return fail(ErrorCode::kInvalidRecord, "a snapshot has no transactions");
  if (frame.type == MetadataRecordType::kBeginTransaction) {
    if (in_transaction())
      return fail(ErrorCode::kInvalidRecord,
                  "one is open since offset " + std::to_string(transaction_start_.value));
    before_transaction_ = Saved{image_, delta_};
    transaction_start_ = at.offset;
    return {};
  }
  if (!in_transaction()) return fail(ErrorCode::kInvalidRecord, "no transaction is open");
  if (frame.type == MetadataRecordType::kAbortTransaction) {
    image_ = std::move(before_transaction_->image);
    delta_ = std::move(before_transaction_->delta);
  }
  before_transaction_.reset();
  transaction_start_ = Offset(-1);
  return {};
}

void ImageReplay::begin_snapshot() {
  ASSERT(!in_transaction() && !in_snapshot_, "a snapshot replaces a whole image");
  image_ = ClusterImage();
  in_snapshot_ = true;
}

void ImageReplay::end_snapshot(const RecordPosition& last) {
  ASSERT(in_snapshot_);
  in_snapshot_ = false;
  delta_ = ClusterDelta::between(std::move(delta_.before), image_);
  advance(last);
}

ImageChange ImageReplay::take() {
  ASSERT(!in_transaction() && !in_snapshot_, "only whole images are shown");
  ImageChange step;
  step.image = std::make_shared<const ClusterImage>(image_);
  step.delta = std::make_shared<const ClusterDelta>(std::move(delta_));
  reset_delta(step.image);
  news_ = false;
  return step;
}

}  // namespace moldau
