// Goes through the batches of the metadata log or of a snapshot, wherever the bytes came from.
#pragma once
#include <functional>
#include <span>

#include "base/result.h"
#include "record/batch_header.h"
#include "record/record.h"

namespace moldau {

struct BatchVisitor {
  // The values of a batch of metadata records, one per offset. Views live until it returns.
  std::function<Status(const BatchHeader&, std::span<const Bytes> values)> data;
  std::function<Status(const BatchHeader&, const RecordView&)> control;
};

// All whole batches in `bytes`; returns how many bytes they take. A batch that is cut off at the end is left; one that is
// damaged is KAFKA_STORAGE_ERROR. The first error of a visit ends it.
Result<size_t> visit_batches(Bytes bytes, const BatchVisitor& visitor);

}  // namespace moldau
