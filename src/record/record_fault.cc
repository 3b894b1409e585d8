#include "record/record_fault.h"

namespace moldau {

ErrorCode error_code(RecordFault fault) {
  switch (fault) {
    case RecordFault::kNone: return ErrorCode::kNone;
    case RecordFault::kUnknownCodec:
    case RecordFault::kDamaged: return ErrorCode::kUnknownServerError;
    default: return ErrorCode::kInvalidRecord;
  }
}

namespace {

const char* what(RecordFault fault) {
  switch (fault) {
    case RecordFault::kNone: break;
    case RecordFault::kCount: return "the batch claims a negative number of records";
    case RecordFault::kCutOff: return "the batch ends before the record does";
    case RecordFault::kMalformed: return "the sizes of its fields don't add up to its length";
    case RecordFault::kTrailing: return "the batch goes on after its last record";
    case RecordFault::kTooLarge: return "the record is larger than max.decompressed.message.bytes allows";
    case RecordFault::kUnknownCodec: return "the batch is compressed with a codec that doesn't exist";
    case RecordFault::kDamaged: return "the compressed records are damaged";
    case RecordFault::kExpands: return "the compressed records expand beyond all measure";
  }
  return "nothing is wrong";
}

}  // namespace

Error to_error(const RecordsOutcome& outcome) {
  return {error_code(outcome.fault),
          "record " + std::to_string(outcome.records) + ": " + what(outcome.fault)};
}

}  // namespace moldau
