// ProducerState: what a log remembers of each producer, so that a retry is recognised, a gap is refused, a zombie is
// fenced, and a reader knows up to where transactions are decided (KIP-98, KIP-360, KIP-890).
// Pure. Owner: the log's lane. Everything but last_seen_ms is a function of the batches in the log.
//
// Invariants
//   P1  at most five batches are remembered per producer, all of its current epoch
//   P2  ongoing_ holds exactly the producers with a transaction_start, by that offset
//   P3  sequences wrap from 2^31-1 to 0, inside batches and between them
//
// An entry lives producer.id.expiration.ms since the producer's last batch *by the broker's clock* (record timestamps
// are the client's and may be anything, -1 included); one with an open transaction lives on.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "log/state/append_origin.h"
#include "record/batch_header.h"
#include "record/control_record.h"

namespace moldau {

inline constexpr int32_t kNoSequence = -1;
inline constexpr int kRememberedBatches = 5;

// What a verified transactional append must present; 0: none.
using VerificationGuard = uint64_t;
inline constexpr VerificationGuard kNoVerificationGuard = 0;

struct ProducerBatch {
  int32_t last_sequence = kNoSequence;
  int32_t offset_delta = 0;  // last offset - first offset
  Offset last_offset{-1};
  WallMs timestamp = -1;  // the batch's maximal timestamp

  Offset first_offset() const { return last_offset - offset_delta; }
  int32_t first_sequence() const;
  bool operator==(const ProducerBatch&) const = default;
};

struct ProducerEntry {
  ProducerEpoch epoch = kNoProducerEpoch;
  int32_t coordinator_epoch = -1;
  WallMs last_seen_ms = -1;      // the broker's clock at the last batch or marker
  Offset transaction_start{-1};  // of the open transaction; -1: none
  int8_t batch_count = 0;
  std::array<ProducerBatch, kRememberedBatches> batches;  // oldest first

  bool in_transaction() const { return transaction_start.value >= 0; }
  const ProducerBatch* last_batch() const {
    return batch_count ? &batches[static_cast<size_t>(batch_count - 1)] : nullptr;
  }
  int32_t last_sequence() const { return batch_count ? last_batch()->last_sequence : kNoSequence; }
};

struct AbortedTransaction {  // also one line of a transaction index
  ProducerId producer_id;
  Offset first_offset;
  Offset last_offset;         // of the marker
  Offset last_stable_offset;  // when the marker was written
  bool operator==(const AbortedTransaction&) const = default;
};

// The marker in a control batch; nullopt if it has none (an emptied batch, or another kind of control record).
std::optional<EndTransactionMarker> end_transaction_marker(const BatchHeader& batch);

class ProducerState {
 public:
  const ProducerEntry* find(ProducerId id) const;
  size_t size() const { return producers_.size(); }
  const absl::flat_hash_map<ProducerId, ProducerEntry>& entries() const { return producers_; }

  // ---- transactions
  // First offset of the earliest open transaction.
  std::optional<Offset> first_undecided() const;
  // Also counts completed transactions whose marker is at or above the high watermark.
  std::optional<Offset> first_unstable(Offset high_watermark) const;
  void on_high_watermark(Offset high_watermark);
  // When the producer of the earliest open transaction was last seen; nullopt: no open transaction.
  std::optional<WallMs> oldest_transaction_seen_ms() const;
  bool in_transaction(ProducerId id, ProducerEpoch epoch) const;

  // ---- verification (KIP-890): before a transactional producer's first batch is appended, the coordinator is asked. The
  // guard ties its answer to this attempt; kNoVerificationGuard: the transaction is open already, no need to ask.
  VerificationGuard start_verification(ProducerId id, int32_t sequence, ProducerEpoch epoch,
                                       bool supports_epoch_bump, WallMs now_ms);

  void remove_expired(WallMs now_ms, int64_t expiration_ms);
  void clear();  // forgets everything but running verifications
  // From a snapshot. Its timestamp becomes last_seen_ms, at most now; none (-1) counts as now.
  void restore(ProducerId id, const ProducerEntry& entry, WallMs now_ms);
  // A batch just before the earliest that is remembered; does nothing if it isn't, or if five are remembered.
  void recall(ProducerId id, ProducerEpoch epoch, const ProducerBatch& batch);
  void on_log_start_advanced(Offset log_start);  // forgets completed transactions below
  uint64_t oddities() const {
    return oddities_;
  }  // what replication accepted although a leader shouldn't have

 private:
  friend class ProducerAppend;
  struct Verification {
    WallMs started_ms;
    VerificationGuard guard;
    int32_t lowest_sequence;
    ProducerEpoch epoch;
    bool supports_epoch_bump;
  };

  absl::flat_hash_map<ProducerId, ProducerEntry> producers_;
  absl::flat_hash_map<ProducerId, Verification> verifications_;
  std::map<Offset, ProducerId> ongoing_;  // by first offset
  std::map<Offset, Offset> completed_;  // first offset -> marker's offset, until the high watermark passes it
  VerificationGuard last_guard_ = kNoVerificationGuard;
  uint64_t oddities_ = 0;
};

struct DuplicateBatch {
  Offset first_offset;
  Offset last_offset;
  WallMs timestamp;
};

// The batches of one append, checked one after another before anything is written; commit() once they are.
class ProducerAppend {
 public:
  struct Rules {
    AppendOrigin origin = AppendOrigin::kClient;
    VerificationGuard guard = kNoVerificationGuard;
    int16_t transaction_version = 0;
    bool verify_transactions = true;
  };
  ProducerAppend(ProducerState& state, const Rules& rules) : state_(state), rules_(rules) {}

  // The batch has its final offsets. A duplicate ends the append: nothing of it is to be written. The second form is for a
  // batch whose records aren't at hand: only the header is looked at, the marker is what it would contain.
  Result<std::optional<DuplicateBatch>> add(const BatchHeader& batch) {
    return add(batch, batch.is_control() ? end_transaction_marker(batch) : std::nullopt);
  }
  Result<std::optional<DuplicateBatch>> add(const BatchHeader& batch,
                                            const std::optional<EndTransactionMarker>& marker);
  // Applies what was added. Returns the aborted transactions for the index, in order; mostly none.
  std::span<const AbortedTransaction> commit(WallMs now_ms);

 private:
  struct Pending {
    ProducerId id;
    ProducerEntry entry;
    bool existed = false;
  };
  struct Step {  // what happened to transactions, in order
    enum class Kind { kBegin, kCommit, kAbort } kind;
    ProducerId id;
    Offset first_offset;
    Offset marker_offset;
  };
  Pending& pending(ProducerId id);
  Status add_data(Pending& p, const BatchHeader& batch);
  Status add_marker(Pending& p, const BatchHeader& batch, const EndTransactionMarker& marker);
  Status check_sequence(const Pending& p, const BatchHeader& batch) const;
  bool odd();  // true if the origin makes an oddity acceptable; counts it

  ProducerState& state_;
  Rules rules_;
  std::optional<Pending> first_;  // nearly always the only one
  std::vector<Pending> others_;
  std::optional<Step> first_step_;
  std::vector<Step> other_steps_;
  std::vector<ProducerId> verified_;  // whose verification ends with this append
  std::vector<AbortedTransaction> aborted_;
};

}  // namespace moldau
