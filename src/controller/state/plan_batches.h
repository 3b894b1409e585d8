// How a plan's records go to the log: in batches that a quorum can carry. What isn't atomic is cut anywhere; what
// is and doesn't fit into one batch becomes a transaction of the metadata log (KIP-868): readers see all of it or
// nothing, and a controller that finds it open aborts it.
#pragma once
#include <vector>

#include "base/result.h"
#include "controller/state/plan.h"
#include "metadata/features.h"

namespace moldau {

struct BatchLimits {
  size_t records = kMaxRecordsPerPlan;
  size_t bytes = 8 << 20;  // of the records
};

// Each batch as views into `records`, in order; those that open and close a transaction are in it. None for no
// records. RECORD_LIST_TOO_LARGE for a record that no batch can carry, or an atomic plan where the
// metadata.version has no transactions.
Result<std::vector<std::vector<Bytes>>> batches_of(const RecordBuffer& records, bool atomic,
                                                   const MetadataVersion& version, const BatchLimits& limits);

}  // namespace moldau
