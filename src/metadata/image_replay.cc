#include "metadata/image_replay.h"

#include "base/assert.h"
#include "metadata/record_applier.h"

namespace moldau {
namespace {

// "TOPIC_RECORD", as Kafka's tools say.
std::string upper_name(std::string_view name) {
  std::string upper;
  for (const char c : name) {
    const bool begins = c >= 'A' && c <= 'Z';
    if (begins && !upper.empty()) upper += '_';
    upper += begins ? c : static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

std::unexpected<Error> at_position(Error error, Offset offset, std::string_view what) {
  error.message = "metadata log, offset " + std::to_string(offset.value) + ", " + std::string(what) + ": " +
                  error.message;
  return std::unexpected(std::move(error));
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
  const auto decoded = protocol::decode_metadata_record(record);
  if (!decoded) return at_position(decoded.error(), at.offset, "a record");
  if (Status done = apply(decoded->record, at); !done) {
    const std::string_view name = std::visit([]<class R>(const R&) { return R::kName; }, decoded->record);
    return at_position(std::move(done).error(), at.offset, upper_name(name));
  }
  if (!in_snapshot_) advance(at);
  return {};
}

Status ImageReplay::apply(const protocol::MetadataRecord& record, const RecordPosition& at) {
  if (std::holds_alternative<protocol::BeginTransactionRecord>(record)) return begin_transaction(at);
  if (std::holds_alternative<protocol::EndTransactionRecord>(record)) return end_transaction(true);
  if (std::holds_alternative<protocol::AbortTransactionRecord>(record)) return end_transaction(false);
  return RecordApplier(image_, delta_, at.offset).apply(record);
}

Status ImageReplay::begin_transaction(const RecordPosition& at) {
  if (in_snapshot_) return fail(ErrorCode::kInvalidRecord, "a snapshot has no transactions");
  if (in_transaction())
    return fail(ErrorCode::kInvalidRecord,
                "one is open since offset " + std::to_string(transaction_start_.value));
  before_transaction_ = Saved{image_, delta_};
  transaction_start_ = at.offset;
  return {};
}

Status ImageReplay::end_transaction(bool commit) {
  if (!in_transaction()) return fail(ErrorCode::kInvalidRecord, "no transaction is open");
  if (!commit) {
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
