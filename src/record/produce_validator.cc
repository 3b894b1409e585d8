#include "record/produce_validator.h"

#include "record/batch_walk.h"

namespace moldau {
namespace {

std::unexpected<ProduceRefusal> refuse(ErrorCode code, std::string message) {
  return std::unexpected(ProduceRefusal{{code, std::move(message)}});
}

constexpr int kUsedAttributes = 0x7f;
constexpr int kTransactionalAndControl = 0x30;
constexpr int kAppendTime = 0x08;
constexpr int16_t kFirstVersionWithZstd = 7;

// That there is exactly one batch, whole and of format 2; it begins at the front.
std::expected<BatchHeader, ProduceRefusal> find_only_batch(Bytes records, const ProduceRules& rules) {
  const NextBatch first = next_batch(records);
  switch (first.what) {
    case BatchFound::kBatch: break;
    case BatchFound::kEnd:
    case BatchFound::kTruncated: return refuse(ErrorCode::kInvalidRecord, "there is no whole record batch");
    case BatchFound::kOldMagic:
      return refuse(ErrorCode::kInvalidRecord, "the batch can't be written: " + describe(first));
    case BatchFound::kCorrupt:
      return refuse(ErrorCode::kCorruptMessage, "the batch is damaged: " + describe(first));
  }
  const BatchHeader batch = first.header();
  if (rules.request_version < kFirstVersionWithZstd && batch.codec() == Codec::kZstd)
    return refuse(ErrorCode::kUnsupportedCompressionType,
                  "zstd needs produce requests of version 7 or later, and this one has version " +
                      std::to_string(rules.request_version));

  const NextBatch second = next_batch(records.subspan(first.size));
  switch (second.what) {
    case BatchFound::kEnd:
    case BatchFound::kTruncated: return batch;
    case BatchFound::kCorrupt:
      return refuse(ErrorCode::kCorruptMessage, "what follows the batch is none: " + describe(second));
    default: return refuse(ErrorCode::kInvalidRecord, "there is more than one record batch");
  }
}

ProduceRefusal refusal(ErrorCode code, std::string message) {
  return {{code, std::move(message)}};
}

// What the header alone tells. nullopt: fine.
std::optional<ProduceRefusal> check_header(const BatchHeader& b, const ProduceRules& rules) {
  const bool client = rules.author == BatchAuthor::kClient;
  if (client && b.base_offset() != Offset(0))
    return refusal(
        ErrorCode::kInvalidRecord,
        "the batch's base offset is " + std::to_string(b.base_offset().value) + ", and a producer's is 0");
  if (b.size() > static_cast<size_t>(rules.max_message_bytes))
    return refusal(ErrorCode::kMessageTooLarge, "the batch has " + std::to_string(b.size()) +
                                                    " bytes, and max.message.bytes is " +
                                                    std::to_string(rules.max_message_bytes));
  if (!crc_matches(b.bytes()))
    return refusal(ErrorCode::kCorruptMessage, "the batch is damaged: its checksum doesn't match its bytes");
  if (static_cast<int8_t>(b.codec()) > static_cast<int8_t>(Codec::kZstd))
    return refusal(error_code(RecordFault::kUnknownCodec),
                   "there is no codec " + std::to_string(static_cast<int>(b.codec())));
  if (!client) return std::nullopt;
  if (b.last_offset_delta() < 0 || b.record_count() <= 0 || b.last_offset_delta() != b.record_count() - 1)
    return refusal(ErrorCode::kInvalidRecord, "the batch claims " + std::to_string(b.record_count()) +
                                                  " records and a last offset delta of " +
                                                  std::to_string(b.last_offset_delta()));
  if (b.is_control()) return refusal(ErrorCode::kInvalidRecord, "only brokers write control batches");
  if (b.has_producer_id() && b.base_sequence() < 0)
    return refusal(ErrorCode::kInvalidRecord,
                   "the batch has producer id " + std::to_string(b.producer_id().value) +
                       " and the sequence number " + std::to_string(b.base_sequence()));
  return std::nullopt;
}

// Judges one record after another.
class RecordJudge {
 public:
  RecordJudge(const BatchHeader& batch, const ProduceRules& rules)
      : rules_(rules),
        checks_range_(rules.timestamp_type == TimestampType::kCreateTime),
        claims_append_time_(batch.timestamp_type() == TimestampType::kLogAppendTime) {}

  Visit operator()(const RecordSummary& r) {
    if (r.offset_delta != index_) [[unlikely]]
      return wrong_delta_ = r.offset_delta, Visit::kStop;
    if (rules_.compacted && !r.has_key()) [[unlikely]]
      add_error(false, "a topic with cleanup.policy=compact takes no record without a key");
    else
      check_timestamp(r);
    if (r.timestamp > max_timestamp_) max_timestamp_ = r.timestamp, max_index_ = index_;
    ++index_;
    return Visit::kNext;
  }

  std::optional<ProduceRefusal> verdict() && {
    if (wrong_delta_)
      return refusal(ErrorCode::kInvalidRecord, "record " + std::to_string(index_) +
                                                    " has the offset delta " + std::to_string(*wrong_delta_));
    if (refused_ == 0) return std::nullopt;
    ProduceRefusal all = refusal(any_timestamp_ ? ErrorCode::kInvalidTimestamp : ErrorCode::kInvalidRecord,
                                 std::to_string(refused_) + " of " + std::to_string(index_) +
                                     " records are refused; the first: " + errors_.front().message);
    all.record_errors = std::move(errors_);
    return all;
  }

  WallMs max_timestamp() const { return max_timestamp_; }
  int32_t max_index() const { return max_index_; }

 private:
  // Distances wrap around like Java's. -1 means that the producer gave no time, which is fine.
  void check_timestamp(const RecordSummary& r) {
    if (checks_range_ && r.timestamp != -1) {
      const auto age =
          static_cast<int64_t>(static_cast<uint64_t>(rules_.now_ms) - static_cast<uint64_t>(r.timestamp));
      const auto lead = static_cast<int64_t>(uint64_t{0} - static_cast<uint64_t>(age));
      if (age > rules_.timestamp_before_max_ms || lead > rules_.timestamp_after_max_ms) [[unlikely]]
        out_of_range(r);
    } else if (claims_append_time_) {
      add_error(true, "a producer can't set the timestamp type LogAppendTime");
    }
  }
  void out_of_range(const RecordSummary& r) {
    add_error(
        true,
        "timestamp " + std::to_string(r.timestamp) + " is more than message.timestamp.before.max.ms=" +
            std::to_string(rules_.timestamp_before_max_ms) +
            " before or message.timestamp.after.max.ms=" + std::to_string(rules_.timestamp_after_max_ms) +
            " after the broker's " + std::to_string(rules_.now_ms));
  }
  void add_error(bool timestamp, std::string message) {
    any_timestamp_ |= timestamp;
    if (++refused_ <= kMaxRecordErrors) errors_.push_back({index_, std::move(message)});
  }

  const ProduceRules& rules_;
  const bool checks_range_;
  const bool claims_append_time_;
  int32_t index_ = 0;
  int32_t max_index_ = 0;
  WallMs max_timestamp_ = -1;
  std::optional<int32_t> wrong_delta_;
  bool any_timestamp_ = false;
  size_t refused_ = 0;
  std::vector<RecordError> errors_;
};

// A batch's header, for records that are to be compressed anew. They stay the same bytes, so base timestamp,
// base offset and count still hold; unused bits and a delete horizon, which isn't a producer's to set, go.
std::string begin_rebuilt(const BatchHeader& b, Codec codec) {
  std::string batch(as_text(b.bytes().first(kBatchHeaderSize)));
  auto* p = reinterpret_cast<uint8_t*>(batch.data());
  store_be<int16_t>(
      p + 21, static_cast<int16_t>((b.attributes() & kTransactionalAndControl) | static_cast<int>(codec)));
  return batch;
}

void finish_rebuilt(std::string& batch, const ValidBatch& valid) {
  auto* p = reinterpret_cast<uint8_t*>(batch.data());
  store_be<int32_t>(p + 8, static_cast<int32_t>(batch.size() - kBatchOverhead));
  store_be<uint32_t>(p + 17, batch_crc(as_bytes(batch)));
  stamp_timestamps({p, batch.size()}, valid.timestamp_type, valid.max_timestamp);
}

}  // namespace

ProduceVerdict ProduceValidator::validate(Bytes records, const ProduceRules& rules) {
  auto batch = find_only_batch(records, rules);
  if (!batch) {
    batch.error().before_log = true;
    return std::unexpected(std::move(batch).error());
  }
  if (auto refused = check_header(*batch, rules)) return std::unexpected(*std::move(refused));
  return check_records(*batch, rules);
}

ProduceVerdict ProduceValidator::check_records(const BatchHeader& b, const ProduceRules& rules) {
  ValidBatch valid{.size = b.size(),
                   .record_count = b.record_count(),
                   .codec = rules.compression.value_or(b.codec()),
                   .timestamp_type = rules.timestamp_type,
                   .producer_id = b.producer_id(),
                   .producer_epoch = b.producer_epoch(),
                   .base_sequence = b.base_sequence(),
                   .transactional = b.is_transactional(),
                   .control = b.is_control()};
  if (b.is_control() && b.codec() == Codec::kNone)
    valid.codec = Codec::kNone;  // Kafka compresses none that isn't
  const bool rebuild = valid.codec != b.codec();
  const bool decompresses = b.codec() != Codec::kNone;

  std::string rebuilt;
  if (rebuild) {
    rebuilt = begin_rebuilt(b, valid.codec);
    const auto size = decompresses ? std::nullopt : std::optional(b.records().size());
    compressor_.open(valid.codec, rules.compression_level, rebuilt, size);
    if (!decompresses) compressor_.write(b.records());
  }
  RecordJudge judge(b, rules);
  reader_.set_limits(rules.limits);
  const RecordsOutcome outcome = reader_.scan(b, judge, rebuild && decompresses ? &compressor_ : nullptr);
  if (rebuild) compressor_.finish();

  if (!outcome.ok()) return std::unexpected(ProduceRefusal{to_error(outcome)});
  valid.max_timestamp = judge.max_timestamp();
  valid.max_timestamp_delta = judge.max_index();
  if (auto refused = std::move(judge).verdict()) return std::unexpected(*std::move(refused));
  if (rules.timestamp_type == TimestampType::kLogAppendTime) {
    valid.max_timestamp = valid.append_time = rules.now_ms;
    valid.max_timestamp_delta = 0;
  }
  if (!rebuild) return valid;
  if (rebuilt.size() > static_cast<size_t>(rules.max_message_bytes))
    return refuse(ErrorCode::kMessageTooLarge, "compressed with " + std::string(codec_name(valid.codec)) +
                                                   ", the batch has " + std::to_string(rebuilt.size()) +
                                                   " bytes, and max.message.bytes is " +
                                                   std::to_string(rules.max_message_bytes));
  finish_rebuilt(rebuilt, valid);
  valid.rebuilt = std::move(rebuilt);
  return valid;
}

void stamp_timestamps(MutableBytes batch, TimestampType type, WallMs max_timestamp) {
  const BatchHeader b(batch.data());
  if (b.timestamp_type() == type && b.max_timestamp() == max_timestamp) return;
  const int kept = b.attributes() & kUsedAttributes & ~kAppendTime;
  store_be<int16_t>(batch.data() + 21, static_cast<int16_t>(kept | static_cast<int>(type) << 3));
  store_be<int64_t>(batch.data() + 35, max_timestamp);
  store_be<uint32_t>(batch.data() + 17, batch_crc(batch.first(b.size())));
}

}  // namespace moldau
