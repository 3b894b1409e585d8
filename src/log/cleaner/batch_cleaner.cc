#include "log/cleaner/batch_cleaner.h"

#include "record/batch_builder.h"

namespace moldau {
namespace {

std::optional<WallMs> delete_horizon(const BatchHeader& batch) {
  return batch.has_delete_horizon() ? std::optional(batch.base_timestamp()) : std::nullopt;
}

std::unexpected<Error> unreadable(const BatchHeader& batch, const std::string& why) {
  return fail(ErrorCode::kCorruptMessage, "the batch at offset " + std::to_string(batch.base_offset().value) +
                                              " can't be cleaned: " + why);
}

BatchOptions options_of(const BatchHeader& batch) {
  const bool append_time = batch.timestamp_type() == TimestampType::kLogAppendTime;
  return {.base_offset = batch.base_offset(),
          .leader_epoch = batch.leader_epoch(),
          .codec = batch.codec(),
          .level = {},
          .timestamp_type = batch.timestamp_type(),
          .append_time = append_time ? batch.max_timestamp() : -1,
          .producer_id = batch.producer_id(),
          .producer_epoch = batch.producer_epoch(),
          .base_sequence = batch.base_sequence(),
          // Without a producer the flag means nothing, as in Kafka.
          .transactional = batch.is_transactional() && batch.has_producer_id(),
          .control = batch.is_control()};
}

}  // namespace

LastOfProducers last_of_producers(const ProducerState& state) {
  LastOfProducers out;
  out.reserve(state.size());
  for (const auto& [id, entry] : state.entries()) {
    const ProducerBatch* last = entry.last_batch();
    out[id] = {last ? std::optional(last->last_offset) : std::nullopt, entry.epoch};
  }
  return out;
}

bool BatchCleaner::is_last_of_producer(const BatchHeader& batch) const {
  if (!batch.has_producer_id()) return false;
  const auto known = round_.producers->find(batch.producer_id());
  if (known == round_.producers->end()) return false;
  if (known->second.data) return batch.last_offset() == *known->second.data;
  return batch.is_control() && batch.producer_epoch() == known->second.epoch;
}

BatchCleaner::Verdict BatchCleaner::judge(const BatchHeader& batch, CleanedTransactions& transactions) const {
  const bool discardable = transactions.on_batch(batch);
  const auto horizon = delete_horizon(batch);
  Verdict verdict;
  verdict.drop_records =
      batch.is_control() ? discardable && horizon && *horizon <= round_.now_ms : discardable;
  verdict.keep_empty = is_last_of_producer(batch) || batch.next_offset() == round_.round_end;
  verdict.gone_transaction = discardable && batch.is_control();
  return verdict;
}

bool BatchCleaner::keeps(const BatchHeader& batch, const RecordView& record) const {
  if (batch.is_control() || record.offset >= round_.map_end) return true;
  if (!record.key) return false;
  const auto latest = round_.latest->find(*record.key);
  if (latest && record.offset < *latest) return false;
  if (record.value) return true;
  const auto horizon = delete_horizon(batch);
  return !horizon || round_.now_ms < *horizon;
}

// Reads every record; those that rebuild() copies are the same, and so can't fail there.
Result<BatchCleaner::Kept> BatchCleaner::count_kept(const BatchHeader& batch) {
  Kept kept;
  int64_t next_delta = 0;
  bool rising = true;
  const RecordsOutcome outcome = reader_.for_each(batch, [&](const RecordView& record) {
    rising = record.offset_delta >= next_delta && record.offset_delta <= batch.last_offset_delta();
    if (!rising) return Visit::kStop;
    next_delta = int64_t{record.offset_delta} + 1;
    if (!keeps(batch, record)) {
      kept.all = false;
      return Visit::kNext;
    }
    ++kept.records;
    kept.tombstone |= !record.value;
    return Visit::kNext;
  });
  if (!rising) return unreadable(batch, "its records' offsets don't rise within the batch");
  if (!outcome.ok()) return unreadable(batch, to_error(outcome).message);
  counts_.records_read += outcome.records;
  counts_.records_kept += kept.records;
  return kept;
}

Status BatchCleaner::rebuild(const BatchHeader& batch, std::optional<WallMs> horizon, std::string& out) {
  BatchOptions options = options_of(batch);
  options.delete_horizon = horizon;
  BatchBuilder builder(options);
  const RecordsOutcome outcome = reader_.for_each(batch, [&](const RecordView& record) {
    if (keeps(batch, record)) builder.copy(record);
    return Visit::kNext;
  });
  if (!outcome.ok()) return unreadable(batch, to_error(outcome).message);
  builder.end_at(batch.last_offset());  // so that the producer's last sequence can be told from it
  out += builder.build(compressor_);
  return {};
}

Status BatchCleaner::clean(Bytes bytes, CleanedTransactions& transactions, std::string& out) {
  const BatchHeader batch(bytes.data());
  const Verdict verdict = judge(batch, transactions);
  Kept kept;
  if (verdict.drop_records) {
    counts_.records_read += batch.record_count();
  } else {
    TRY_ASSIGN(kept, count_kept(batch));
  }
  if (kept.records == 0) {
    BatchOptions options = options_of(batch);
    options.codec = Codec::kNone;
    if (verdict.keep_empty) out += empty_batch(options, batch.last_offset(), batch.max_timestamp());
    return {};
  }
  const auto horizon = delete_horizon(batch);
  const bool begins_horizon = (kept.tombstone || verdict.gone_transaction) && !horizon;
  if (kept.all && !begins_horizon) {
    out += as_text(bytes);
    return {};
  }
  return rebuild(batch, begins_horizon ? round_.now_ms + round_.delete_retention_ms : horizon, out);
}

}  // namespace moldau
