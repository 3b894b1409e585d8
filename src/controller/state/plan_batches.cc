#include "controller/state/plan_batches.h"

#include <algorithm>

#include "protocol/metadata/begin_transaction_record.h"
#include "protocol/metadata/end_transaction_record.h"

namespace moldau {
namespace {

using Batches = std::vector<std::vector<Bytes>>;

template <class Record>
Bytes mark(const Record& record) {
  static const RecordBuffer kept = [&] {
    RecordBuffer buffer;
    buffer.add(record, 0);
    return buffer;
  }();
  return kept[0];
}

}  // namespace

Result<Batches> batches_of(const RecordBuffer& records, bool atomic, const MetadataVersion& version,
                           const BatchLimits& limits) {
  Batches batches;
  size_t bytes = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const Bytes record = records[i];
    if (record.size() > limits.bytes)
      return fail(ErrorCode::kRecordListTooLarge, "an operation would write a record of " +
                                                      std::to_string(record.size()) + " bytes, allowed are " +
                                                      std::to_string(limits.bytes));
    const bool full =
        !batches.empty() && (batches.back().size() == limits.records || bytes + record.size() > limits.bytes);
    if (batches.empty() || full) batches.emplace_back(), bytes = 0;
    batches.back().push_back(record);
    bytes += record.size();
  }
  if (!atomic || batches.size() < 2) return batches;
  if (!version.transactions)
    return fail(ErrorCode::kRecordListTooLarge,
                "an operation would write " + std::to_string(records.bytes()) +
                    " bytes at once, which takes a transaction: metadata.version 3.6-IV1 or later");
  batches.insert(batches.begin(), {mark(protocol::BeginTransactionRecord{.name = "Operation"})});
  batches.push_back({mark(protocol::EndTransactionRecord{})});
  return batches;
}

}  // namespace moldau
