// Why the records of a batch can't be read.
#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"

namespace moldau {

enum class RecordFault : uint8_t {
  kNone,
  kCount,         // the header's record count is negative
  kCutOff,        // the bytes end before the last record does
  kMalformed,     // the sizes within a record don't add up to its length
  kTrailing,      // bytes follow the last record
  kTooLarge,      // a record is longer than max.decompressed.message.bytes
  kUnknownCodec,  // attributes name codec 5, 6 or 7
  kDamaged,       // the compressed block can't be decompressed
  kExpands,       // it decompresses to more than its budget
};

struct RecordsOutcome {
  RecordFault fault = RecordFault::kNone;
  int32_t records = 0;   // handed out; with a fault: the index of the record it was met at
  bool stopped = false;  // the callback said so

  bool ok() const { return fault == RecordFault::kNone; }
};

// The code with which Kafka 4.4 answers a produce request: INVALID_RECORD for records, UNKNOWN_SERVER_ERROR
// for codecs.
ErrorCode error_code(RecordFault fault);
Error to_error(const RecordsOutcome& outcome);

}  // namespace moldau
