// ProduceValidator: what a leader makes of the records in a produce request, as Kafka's does: one batch of
// format 2, whole and sound, whose records are what the header says and what the topic takes. The batch
// itself isn't touched or copied; only if the topic asks for another codec is it built anew.
//
// The order of the checks is the order in which a client meets their codes:
//
//   no batch, or none that is whole          INVALID_RECORD
//   length below any format's, unknown magic CORRUPT_MESSAGE
//   format 0 or 1                            INVALID_RECORD               (KIP-724)
//   zstd, and the request's version below 7  UNSUPPORTED_COMPRESSION_TYPE (KIP-110)
//   a second batch                           INVALID_RECORD, or CORRUPT_MESSAGE if it is none
//   base offset other than 0                 INVALID_RECORD               from clients
//   longer than max.message.bytes            MESSAGE_TOO_LARGE
//   checksum                                 CORRUPT_MESSAGE
//   no such codec                            UNKNOWN_SERVER_ERROR
//   offsets and record count disagree        INVALID_RECORD               from clients
//   a control batch                          INVALID_RECORD               from clients
//   a producer id without sequence           INVALID_RECORD               from clients
//   a record that isn't sound or isn't there INVALID_RECORD
//   a compressed block that can't be read    UNKNOWN_SERVER_ERROR
//   a record without key, compacted topic    INVALID_RECORD               record by record
//   a timestamp out of range                 INVALID_TIMESTAMP            record by record (KIP-937); wins over keys
//   recompressed above max.message.bytes     MESSAGE_TOO_LARGE
//
// Bytes behind the batch that are the cut-off beginning of another are dropped, as in Kafka: append only
// `size` bytes.
//
// Stricter than Kafka 4.4 in three things, each of which would leave a batch in the log that no consumer can
// get past or whose offsets are wrong: within a compressed block a record's length must agree with its
// fields; offset deltas must be 0, 1, 2, …; a block must not expand beyond RecordLimits. All three are
// INVALID_RECORD.
//
// What needs the producer's state (epochs, sequences, transactions) is log/'s to check.
#pragma once
#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "record/batch_header.h"
#include "record/compressor.h"
#include "record/record_reader.h"

namespace moldau {

enum class BatchAuthor : uint8_t {
  kClient,
  kBroker,  // a coordinator: may write control batches, and needs no base offset of 0
};

struct ProduceRules {  // of the topic, the request and the moment
  BatchAuthor author = BatchAuthor::kClient;
  int16_t request_version = 13;
  int32_t max_message_bytes = 1048588;
  bool compacted = false;  // cleanup.policy contains compact
  TimestampType timestamp_type = TimestampType::kCreateTime;
  int64_t timestamp_before_max_ms = std::numeric_limits<int64_t>::max();
  int64_t timestamp_after_max_ms = 3600000;
  std::optional<Codec> compression{};      // compression.type; none: the producer's
  std::optional<int> compression_level{};  // of that codec; none: its preset
  RecordLimits limits{};
  WallMs now_ms = 0;
};

struct ValidBatch {
  size_t size = 0;  // bytes of the batch at the front of the request's records
  int32_t record_count = 0;
  Codec codec = Codec::kNone;  // of what is to be appended
  TimestampType timestamp_type = TimestampType::kCreateTime;
  WallMs max_timestamp = -1;
  int32_t max_timestamp_delta = 0;  // offset delta of the first record that has it
  WallMs append_time = -1;          // with LogAppendTime: what the client is told
  ProducerId producer_id = kNoProducerId;
  ProducerEpoch producer_epoch = kNoProducerEpoch;
  int32_t base_sequence = -1;
  bool transactional = false;  // may be set without a producer: Kafka takes that for an ordinary batch
  bool control = false;
  std::optional<std::string>
      rebuilt{};  // the batch in the topic's codec, timestamps stamped: append this instead

  int32_t last_offset_delta() const { return record_count - 1; }
};

struct RecordError {
  int32_t batch_index = 0;  // of the record
  std::string message;
};

struct ProduceRefusal {
  Error error;
  std::vector<RecordError> record_errors{};  // at most kMaxRecordErrors
  bool before_log = false;  // Kafka finds it before it asks the log, and so doesn't tell the log's start
};

inline constexpr size_t kMaxRecordErrors =
    1000;  // Kafka names all; what a client does with them doesn't differ

using ProduceVerdict = std::expected<ValidBatch, ProduceRefusal>;

// One per lane: keeps codec contexts.
class ProduceValidator {
 public:
  ProduceVerdict validate(Bytes records, const ProduceRules& rules);

 private:
  ProduceVerdict check_records(const BatchHeader& batch, const ProduceRules& rules);

  RecordReader reader_;
  Compressor compressor_;
};

// Writes timestamp type and max timestamp into a batch and renews its checksum; does nothing if they are
// there already. The leader calls it on an accepted batch, before it stamps offset and leader epoch, which
// are not under the checksum.
void stamp_timestamps(MutableBytes batch, TimestampType type, WallMs max_timestamp);

}  // namespace moldau
