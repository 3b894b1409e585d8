#include "log/state/producer_state.h"

#include <algorithm>

#include "base/reader.h"

namespace moldau {
namespace {

constexpr int16_t kCommitMarker = 1;
constexpr int16_t kAbortMarker = 0;

}  // namespace

int32_t ProducerBatch::first_sequence() const {
  if (last_sequence == kNoSequence) return kNoSequence;
  const int64_t first = int64_t{last_sequence} - offset_delta;
  return static_cast<int32_t>(first >= 0 ? first : first + (int64_t{1} << 31));
}

// A control record: length, attributes, timestamp delta, offset delta, key (version, type), value (version, epoch).
std::optional<EndTransactionMarker> end_transaction_marker(const BatchHeader& batch) {
  if (!batch.is_control() || batch.record_count() < 1 || batch.size() < kBatchHeaderSize) return std::nullopt;
  Reader in(batch.records());
  in.varint();
  in.i8();
  in.varlong();
  in.varint();
  if (in.varint() < 4) return std::nullopt;
  in.i16();
  const int16_t type = in.i16();
  if (in.varint() < 6) return std::nullopt;
  in.i16();
  const int32_t coordinator_epoch = in.i32();
  if (!in.ok() || (type != kCommitMarker && type != kAbortMarker)) return std::nullopt;
  return EndTransactionMarker{type == kCommitMarker, coordinator_epoch};
}

const ProducerEntry* ProducerState::find(ProducerId id) const {
  auto at = producers_.find(id);
  return at == producers_.end() ? nullptr : &at->second;
}

std::optional<Offset> ProducerState::first_undecided() const {
  if (ongoing_.empty()) return std::nullopt;
  return ongoing_.begin()->first;
}

std::optional<Offset> ProducerState::first_unstable(Offset high_watermark) const {
  std::optional<Offset> first = first_undecided();
  for (const auto& [start, marker] : completed_) {
    if (first && start >= *first) break;
    if (marker >= high_watermark) return start;
  }
  return first;
}

void ProducerState::on_high_watermark(Offset high_watermark) {
  if (completed_.empty()) return;
  std::erase_if(completed_, [&](const auto& txn) { return txn.second < high_watermark; });
}

void ProducerState::on_log_start_advanced(Offset log_start) {
  on_high_watermark(log_start);
}

std::optional<WallMs> ProducerState::oldest_transaction_seen_ms() const {
  if (ongoing_.empty()) return std::nullopt;
  const ProducerEntry* entry = find(ongoing_.begin()->second);
  return entry ? entry->last_seen_ms : -1;
}

bool ProducerState::in_transaction(ProducerId id, ProducerEpoch epoch) const {
  const ProducerEntry* entry = find(id);
  return entry && entry->in_transaction() && entry->epoch == epoch;
}

VerificationGuard ProducerState::start_verification(ProducerId id, int32_t sequence, ProducerEpoch epoch,
                                                    bool supports_epoch_bump, WallMs now_ms) {
  if (in_transaction(id, epoch)) return kNoVerificationGuard;
  auto [at, fresh] = verifications_.try_emplace(
      id, Verification{now_ms, last_guard_ + 1, sequence, epoch, supports_epoch_bump});
  if (fresh) ++last_guard_;
  Verification& running = at->second;
  if (epoch == running.epoch) running.lowest_sequence = std::min(running.lowest_sequence, sequence);
  if (epoch > running.epoch) running.epoch = epoch, running.lowest_sequence = sequence;
  return running.guard;
}

void ProducerState::remove_expired(WallMs now_ms, int64_t expiration_ms) {
  absl::erase_if(producers_, [&](const auto& producer) {
    return !producer.second.in_transaction() && now_ms - producer.second.last_seen_ms >= expiration_ms;
  });
  absl::erase_if(verifications_,
                 [&](const auto& running) { return now_ms - running.second.started_ms >= expiration_ms; });
}

void ProducerState::clear() {
  producers_.clear();
  ongoing_.clear();
  completed_.clear();
}

void ProducerState::restore(ProducerId id, const ProducerEntry& entry, WallMs now_ms) {
  if (id.value < 0) return;
  auto [at, fresh] = producers_.try_emplace(id, entry);
  if (!fresh) return;
  ProducerEntry& restored = at->second;
  if (restored.last_seen_ms < 0 || restored.last_seen_ms > now_ms) restored.last_seen_ms = now_ms;
  // Two open transactions can't begin at one offset: the file would be wrong, and P2 has to hold all the same.
  if (restored.in_transaction() && !ongoing_.try_emplace(restored.transaction_start, id).second)
    restored.transaction_start = Offset(-1);
}

void ProducerState::recall(ProducerId id, ProducerEpoch epoch, const ProducerBatch& batch) {
  const auto at = producers_.find(id);
  if (at == producers_.end()) return;
  ProducerEntry& entry = at->second;
  if (entry.epoch != epoch || entry.batch_count == 0 || entry.batch_count == kRememberedBatches) return;
  const ProducerBatch& earliest = entry.batches[0];
  const int32_t next_sequence = batch.last_sequence == INT32_MAX ? 0 : batch.last_sequence + 1;
  if (batch.last_offset >= earliest.first_offset() || earliest.first_sequence() != next_sequence) return;
  std::move_backward(entry.batches.begin(), entry.batches.begin() + entry.batch_count,
                     entry.batches.begin() + entry.batch_count + 1);
  entry.batches[0] = batch;
  ++entry.batch_count;
}

}  // namespace moldau
