// MetadataRecord: one of the records of the cluster's metadata log, as a variant that replay visits.
#pragma once
#include <variant>

#include "base/result.h"
#include "protocol/decoder.h"
#include "protocol/encoder.h"
#include "protocol/metadata_records.h"

namespace moldau::protocol {

using MetadataRecord = MetadataRecords::Apply<std::variant>;

struct VersionedRecord {
  MetadataRecord record;
  int16_t version;
};

// Frame and body; all of the input must be taken. The record's views point into it. Errors: CORRUPT_MESSAGE;
// UNSUPPORTED_VERSION if we don't know the type or its version.
Result<VersionedRecord> decode_metadata_record(Bytes value);
void encode_metadata_record(const MetadataRecord& record, int16_t version, Encoder& out);

}  // namespace moldau::protocol
