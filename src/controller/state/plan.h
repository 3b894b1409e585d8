// Plan: what an operation would do: records, and the answer that the caller gets once they are committed.
// Planners read and return; they change nothing. The records are encoded at once, so that replay never sees
// anything but bytes.
#pragma once
#include <string>
#include <vector>

#include "base/arena.h"
#include "base/result.h"
#include "metadata/record_buffer.h"

namespace moldau {

inline constexpr size_t kMaxRecordsPerPlan = 10'000;

template <class Response>
struct Plan {
  RecordBuffer records;
  bool atomic = true;  // all or none; otherwise they may be split anywhere
  bool more =
      false;  // ended at its limit: to be planned again when this is applied and others had their turn
  std::vector<std::string> refused;  // partitions whose change the state machines don't have, and why
  Response response;                 // views into `arena` or into the request
  Arena arena;
};

// What the controller does by itself: nobody waits for an answer.
struct NoResponse {};
using OwnPlan = Plan<NoResponse>;

// An operation that would write more than kMaxRecordsPerPlan records is refused as a whole.
inline std::unexpected<Error> too_many_records() {
  return fail(ErrorCode::kPolicyViolation, "Unable to perform excessively large batch operation.");
}

}  // namespace moldau
