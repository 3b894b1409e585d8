// ProducerAppend: the rules by which a batch of a known producer is accepted (KIP-98, KIP-360, KIP-890).
#include <algorithm>
#include <limits>

#include "log/state/producer_state.h"

namespace moldau {
namespace {

constexpr int32_t kMaxSequence = std::numeric_limits<int32_t>::max();

int32_t last_sequence_of(const BatchHeader& batch) {
  const int32_t first = batch.base_sequence();
  if (first == kNoSequence) return kNoSequence;
  return static_cast<int32_t>((int64_t{first} + batch.last_offset_delta()) & kMaxSequence);
}

bool follows(int32_t last, int32_t next) {
  return next == int64_t{last} + 1 || (next == 0 && last == kMaxSequence);
}

std::string describe(ProducerId id, Offset offset) {
  return "producer " + std::to_string(id.value) + " at offset " + std::to_string(offset.value);
}

// A new epoch begins its sequences anew, so the batches of the earlier one can't be duplicated any more.
void take_epoch(ProducerEntry& entry, ProducerEpoch epoch) {
  if (entry.epoch == epoch) return;
  entry.epoch = epoch;
  entry.batch_count = 0;
}

void remember(ProducerEntry& entry, const ProducerBatch& batch) {
  if (entry.batch_count == kRememberedBatches) {
    std::move(entry.batches.begin() + 1, entry.batches.end(), entry.batches.begin());
    --entry.batch_count;
  }
  entry.batches[static_cast<size_t>(entry.batch_count++)] = batch;
}

}  // namespace

bool ProducerAppend::odd() {
  if (rules_.origin != AppendOrigin::kReplication) return false;
  ++state_.oddities_;
  return true;
}

ProducerAppend::Pending& ProducerAppend::pending(ProducerId id) {
  if (first_ && first_->id == id) return *first_;
  for (Pending& other : others_)
    if (other.id == id) return other;
  const ProducerEntry* known = state_.find(id);
  Pending fresh{id, known ? *known : ProducerEntry{}, known && known->epoch != kNoProducerEpoch};
  if (!first_) return first_.emplace(std::move(fresh));
  return others_.emplace_back(std::move(fresh));
}

Result<std::optional<DuplicateBatch>> ProducerAppend::add(const BatchHeader& batch,
                                                          const std::optional<EndTransactionMarker>& marker) {
  if (!batch.has_producer_id()) return std::nullopt;
  const ProducerId id = batch.producer_id();
  Pending& p = pending(id);

  if (rules_.origin == AppendOrigin::kClient && p.entry.epoch == batch.producer_epoch()) {
    const int32_t first = batch.base_sequence(), last = last_sequence_of(batch);
    for (int i = 0; i < p.entry.batch_count; ++i) {
      const ProducerBatch& known = p.entry.batches[static_cast<size_t>(i)];
      if (known.last_sequence == last && known.first_sequence() == first)
        return DuplicateBatch{known.first_offset(), known.last_offset, known.timestamp};
    }
  }

  const bool from_client =
      rules_.origin == AppendOrigin::kClient || rules_.origin == AppendOrigin::kCoordinator;
  if (from_client && batch.is_transactional() &&
      !(p.entry.in_transaction() && p.entry.epoch == batch.producer_epoch())) {
    if (p.existed && batch.producer_epoch() < p.entry.epoch)
      return fail(ErrorCode::kInvalidProducerEpoch, describe(id, batch.base_offset()) + " has epoch " +
                                                        std::to_string(batch.producer_epoch().value) +
                                                        ", but epoch " + std::to_string(p.entry.epoch.value) +
                                                        " was seen already");
    if (rules_.verify_transactions && !batch.is_control()) {
      auto running = state_.verifications_.find(id);
      if (running == state_.verifications_.end() || running->second.guard != rules_.guard)
        return fail(ErrorCode::kInvalidTxnState,
                    describe(id, batch.base_offset()) +
                        ": the record isn't part of a transaction that its coordinator knows");
    }
  }

  if (!batch.is_control()) {
    TRY(add_data(p, batch));
  } else if (marker) {
    TRY(add_marker(p, batch, *marker));
  }

  if (batch.is_transactional()) {
    auto running = state_.verifications_.find(id);
    // With transactions v2 the next transaction of the epoch that a marker begins may be in verification already.
    const bool next_began = running != state_.verifications_.end() && running->second.supports_epoch_bump &&
                            batch.is_control() && batch.producer_epoch() == running->second.epoch;
    if (running != state_.verifications_.end() && !next_began) verified_.push_back(id);
  }
  return std::nullopt;
}

Status ProducerAppend::check_sequence(const Pending& p, const BatchHeader& batch) const {
  const int32_t first = batch.base_sequence();
  const ProducerEntry& entry = p.entry;
  const auto out_of_order = [&](const std::string& why) {
    return fail(ErrorCode::kOutOfOrderSequenceNumber,
                describe(p.id, batch.base_offset()) + " sent sequence " + std::to_string(first) + ", " + why);
  };
  if (auto running = state_.verifications_.find(p.id); running != state_.verifications_.end()) {
    if (running->second.supports_epoch_bump && first != 0 && entry.batch_count == 0)
      return out_of_order("but a transaction of version 2 begins with sequence 0");
    if (first > running->second.lowest_sequence)
      return out_of_order("but sequence " + std::to_string(running->second.lowest_sequence) +
                          " is on its way");
  }
  if (!p.existed && entry.epoch == kNoProducerEpoch)
    return {};  // unknown, or expired: any sequence (KIP-360)
  if (batch.producer_epoch() != entry.epoch) {
    if (first != 0)
      return out_of_order("but epoch " + std::to_string(batch.producer_epoch().value) +
                          " is new and begins with 0");
    return {};
  }
  if (p.existed && !follows(entry.last_sequence(), first))
    return out_of_order("but " + std::to_string(entry.last_sequence()) + " was the last");
  return {};
}

Status ProducerAppend::add_data(Pending& p, const BatchHeader& batch) {
  const Offset first = batch.base_offset();
  if (batch.producer_epoch() < p.entry.epoch && !odd())
    return fail(ErrorCode::kInvalidProducerEpoch,
                describe(p.id, first) + " has epoch " + std::to_string(batch.producer_epoch().value) +
                    ", but epoch " + std::to_string(p.entry.epoch.value) + " was seen already");
  if (rules_.origin == AppendOrigin::kClient) TRY(check_sequence(p, batch));
  if (p.entry.in_transaction() && !batch.is_transactional() && !odd())
    return fail(ErrorCode::kInvalidTxnState,
                describe(p.id, first) + " sent a record outside of its open transaction");

  take_epoch(p.entry, batch.producer_epoch());
  remember(p.entry,
           {last_sequence_of(batch), batch.last_offset_delta(), batch.last_offset(), batch.max_timestamp()});
  if (batch.is_transactional() && !p.entry.in_transaction()) {
    p.entry.transaction_start = first;
    const Step begin{Step::Kind::kBegin, p.id, first, Offset(-1)};
    if (!first_step_)
      first_step_ = begin;
    else
      other_steps_.push_back(begin);
  }
  return {};
}

Status ProducerAppend::add_marker(Pending& p, const BatchHeader& batch, const EndTransactionMarker& marker) {
  const ProducerEpoch epoch = batch.producer_epoch();
  const bool strict =
      rules_.transaction_version >= 2;  // a marker's epoch is then one above the transaction's
  bool fenced = epoch < p.entry.epoch || (strict && epoch == p.entry.epoch);
  if (strict && epoch == p.entry.epoch &&
      (!p.entry.in_transaction() || epoch.value == std::numeric_limits<int16_t>::max()))
    fenced = false;  // the marker is written a second time, after its transaction was completed
  if (fenced && !odd())
    return fail(ErrorCode::kInvalidProducerEpoch,
                describe(p.id, batch.base_offset()) + ": the marker has epoch " +
                    std::to_string(epoch.value) + ", but epoch " + std::to_string(p.entry.epoch.value) +
                    " was seen already");
  if (p.entry.coordinator_epoch > marker.coordinator_epoch && !odd())
    return fail(ErrorCode::kTransactionCoordinatorFenced,
                describe(p.id, batch.base_offset()) + ": the marker comes from coordinator epoch " +
                    std::to_string(marker.coordinator_epoch) + ", but " +
                    std::to_string(p.entry.coordinator_epoch) + " is known");

  if (p.entry.in_transaction()) {
    const Step end{marker.commit ? Step::Kind::kCommit : Step::Kind::kAbort, p.id, p.entry.transaction_start,
                   batch.base_offset()};
    if (!first_step_)
      first_step_ = end;
    else
      other_steps_.push_back(end);
  }
  take_epoch(p.entry, epoch);
  p.entry.coordinator_epoch = marker.coordinator_epoch;
  p.entry.transaction_start = Offset(-1);
  return {};
}

std::span<const AbortedTransaction> ProducerAppend::commit(WallMs now_ms) {
  const auto store = [&](Pending& p) {
    p.entry.last_seen_ms = now_ms;
    state_.producers_.insert_or_assign(p.id, p.entry);
  };
  if (first_) store(*first_);
  for (Pending& p : others_) store(p);

  const auto apply = [&](const Step& step) {
    if (step.kind == Step::Kind::kBegin) {
      state_.ongoing_.try_emplace(step.first_offset, step.id);
      return;
    }
    if (step.kind == Step::Kind::kAbort) {
      Offset stable = step.marker_offset + 1;  // unless somebody else's transaction is open
      for (const auto& [start, id] : state_.ongoing_)
        if (id != step.id) {
          stable = start;
          break;
        }
      aborted_.push_back({step.id, step.first_offset, step.marker_offset, stable});
    }
    state_.ongoing_.erase(step.first_offset);
    state_.completed_.insert_or_assign(step.first_offset, step.marker_offset);
  };
  if (first_step_) apply(*first_step_);
  for (const Step& step : other_steps_) apply(step);
  for (ProducerId id : verified_) state_.verifications_.erase(id);
  return aborted_;
}

}  // namespace moldau
