#include "raft/driver/batch_contents.h"

#include <deque>
#include <string>
#include <vector>

#include "record/batch_walk.h"
#include "record/record_reader.h"

namespace moldau {
namespace {

std::unexpected<Error> damaged(const BatchHeader& batch, std::string why) {
  return fail(
      ErrorCode::kKafkaStorageError,
      "the batch at offset " + std::to_string(batch.base_offset().value) + " is damaged: " + std::move(why));
}

Status visit_control(const BatchHeader& batch, const BatchVisitor& visitor, RecordReader& reader) {
  Status status;
  const RecordsOutcome outcome = reader.for_each(batch, [&](const RecordView& record) {
    status = visitor.control(batch, record);
    return status ? Visit::kNext : Visit::kStop;
  });
  if (status && outcome.fault != RecordFault::kNone) return damaged(batch, "its records can't be read");
  return status;
}

Status visit_data(const BatchHeader& batch, const BatchVisitor& visitor, RecordReader& reader) {
  std::vector<Bytes> values;
  std::deque<std::string> copies;  // of compressed ones, whose views don't last
  const bool compressed = batch.codec() != Codec::kNone;
  const RecordsOutcome outcome = reader.for_each(batch, [&](const RecordView& record) {
    const Bytes value = record.value.value_or(Bytes{});
    values.push_back(compressed ? as_bytes(copies.emplace_back(as_text(value))) : value);
    return Visit::kNext;
  });
  if (outcome.fault != RecordFault::kNone) return damaged(batch, "its records can't be read");
  return visitor.data(batch, values);
}

}  // namespace

Result<size_t> visit_batches(Bytes bytes, const BatchVisitor& visitor) {
  BatchWalk walk(bytes);
  RecordReader reader;
  for (;;) {
    const NextBatch next = walk.next();
    if (next.what == BatchFound::kEnd || next.what == BatchFound::kTruncated) return walk.position();
    if (next.what != BatchFound::kBatch)
      return fail(ErrorCode::kKafkaStorageError, "a batch is damaged: " + describe(next));
    const BatchHeader batch = next.header();
    TRY(batch.is_control() ? visit_control(batch, visitor, reader) : visit_data(batch, visitor, reader));
  }
}

}  // namespace moldau
