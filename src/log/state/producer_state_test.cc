#include "log/state/producer_state.h"

#include <gtest/gtest.h>

#include <limits>

#include "log/state/producer_snapshot.h"
#include "log/state/testdata/batches.h"

namespace moldau {
namespace {

using test::BatchSpec;
using test::make_batch;
using test::make_marker;
using test::MarkerSpec;

constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

struct Producers {
  ProducerState state;
  int64_t next = 0;  // log end
  WallMs now = 5000;
  std::vector<AbortedTransaction> aborted;

  struct Answer {
    ErrorCode error = ErrorCode::kNone;
    std::optional<DuplicateBatch> duplicate;
  };
  Answer append(std::vector<uint8_t> batch, ProducerAppend::Rules rules) {
    ProducerAppend append(state, rules);
    const BatchHeader header(batch.data());
    auto answer = append.add(header);
    if (!answer) return {answer.error().code, {}};
    if (*answer) return {ErrorCode::kNone, **answer};
    for (const AbortedTransaction& a : append.commit(now)) aborted.push_back(a);
    next = header.next_offset().value;
    return {};
  }
  Answer data(int64_t id, int16_t epoch, int32_t sequence, int records = 1, bool transactional = false,
              AppendOrigin origin = AppendOrigin::kClient) {
    return append(make_batch({.base_offset = next,
                              .records = records,
                              .producer_id = id,
                              .producer_epoch = epoch,
                              .sequence = sequence,
                              .transactional = transactional}),
                  {.origin = origin, .verify_transactions = false});
  }
  Answer marker(int64_t id, int16_t epoch, bool commit, int32_t coordinator_epoch = 0, int16_t version = 0) {
    return append(make_marker({.base_offset = next,
                               .producer_id = id,
                               .producer_epoch = epoch,
                               .commit = commit,
                               .coordinator_epoch = coordinator_epoch}),
                  {.origin = AppendOrigin::kCoordinator, .transaction_version = version});
  }
};

TEST(ProducerState, AcceptsInOrderRefusesGaps) {
  Producers p;
  EXPECT_EQ(p.data(1, 0, 0, 3).error, ErrorCode::kNone);
  EXPECT_EQ(p.data(1, 0, 4).error, ErrorCode::kOutOfOrderSequenceNumber);
  EXPECT_EQ(p.data(1, 0, 2).error,
            ErrorCode::kOutOfOrderSequenceNumber);  // overlaps, but isn't the same batch
  EXPECT_EQ(p.data(1, 0, 3).error, ErrorCode::kNone);
  EXPECT_EQ(p.state.find(ProducerId(1))->last_sequence(), 3);
}

TEST(ProducerState, UnknownProducerMayBeginAnywhere) {  // KIP-360
  Producers p;
  EXPECT_EQ(p.data(1, 5, 77).error, ErrorCode::kNone);
  EXPECT_EQ(p.data(1, 5, 78).error, ErrorCode::kNone);
  EXPECT_EQ(p.data(1, 5, 80).error, ErrorCode::kOutOfOrderSequenceNumber);
}

TEST(ProducerState, FindsTheLastFiveDuplicates) {
  Producers p;
  for (int i = 0; i < 6; ++i) ASSERT_EQ(p.data(1, 0, 2 * i, 2).error, ErrorCode::kNone);
  for (int i = 1; i < 6; ++i) {
    auto again = p.data(1, 0, 2 * i, 2);
    ASSERT_TRUE(again.duplicate) << i;
    EXPECT_EQ(again.duplicate->first_offset, Offset(2 * i));
    EXPECT_EQ(again.duplicate->last_offset, Offset(2 * i + 1));
    EXPECT_EQ(again.duplicate->timestamp, 1001);
  }
  EXPECT_EQ(p.data(1, 0, 0, 2).error, ErrorCode::kOutOfOrderSequenceNumber);   // the sixth is forgotten
  EXPECT_EQ(p.data(1, 0, 10, 1).error, ErrorCode::kOutOfOrderSequenceNumber);  // same begin, other end
  EXPECT_EQ(p.next, 12);
}

TEST(ProducerState, EpochsFence) {
  Producers p;
  ASSERT_EQ(p.data(1, 3, 0).error, ErrorCode::kNone);
  EXPECT_EQ(p.data(1, 2, 1).error, ErrorCode::kInvalidProducerEpoch);
  EXPECT_EQ(p.data(1, 4, 1).error, ErrorCode::kOutOfOrderSequenceNumber);  // a new epoch begins with 0
  EXPECT_EQ(p.data(1, 4, 0).error, ErrorCode::kNone);
  EXPECT_EQ(p.data(1, 3, 1).error, ErrorCode::kInvalidProducerEpoch);
  EXPECT_EQ(p.state.find(ProducerId(1))->batch_count, 1);
}

TEST(ProducerState, SequencesWrap) {
  Producers p;
  ASSERT_EQ(p.data(1, 0, kMax - 1, 4).error, ErrorCode::kNone);  // MAX-1, MAX, 0, 1
  EXPECT_EQ(p.state.find(ProducerId(1))->last_sequence(), 1);
  EXPECT_EQ(p.state.find(ProducerId(1))->last_batch()->first_sequence(), kMax - 1);
  auto again = p.data(1, 0, kMax - 1, 4);
  ASSERT_TRUE(again.duplicate);
  EXPECT_EQ(again.duplicate->first_offset, Offset(0));
  EXPECT_EQ(p.data(1, 0, 2).error, ErrorCode::kNone);

  ASSERT_EQ(p.data(2, 0, kMax).error, ErrorCode::kNone);
  EXPECT_EQ(p.data(2, 0, kMax).duplicate.has_value(), true);
  EXPECT_EQ(p.data(2, 0, 1).error, ErrorCode::kOutOfOrderSequenceNumber);
  EXPECT_EQ(p.data(2, 0, 0).error, ErrorCode::kNone);  // MAX, then 0
}

TEST(ProducerState, ReplicationRefusesNothing) {
  Producers p;
  ASSERT_EQ(p.data(1, 5, 0, 1, true, AppendOrigin::kReplication).error, ErrorCode::kNone);
  EXPECT_EQ(p.data(1, 4, 9, 1, true, AppendOrigin::kReplication).error, ErrorCode::kNone);
  EXPECT_EQ(p.data(1, 4, 30, 1, false, AppendOrigin::kReplication).error, ErrorCode::kNone);
  EXPECT_EQ(p.state.oddities(), 2u);  // a smaller epoch; a plain record inside a transaction
  EXPECT_EQ(p.state.first_undecided(), Offset(0));
}

TEST(ProducerState, TransactionsHoldTheStableOffset) {
  Producers p;
  ASSERT_EQ(p.data(1, 0, 0, 1, true).error, ErrorCode::kNone);  // 0
  ASSERT_EQ(p.data(2, 0, 0, 1, true).error, ErrorCode::kNone);  // 1
  EXPECT_EQ(p.data(1, 0, 1, 1, false).error, ErrorCode::kInvalidTxnState);
  EXPECT_EQ(p.state.first_undecided(), Offset(0));
  ASSERT_EQ(p.marker(1, 0, false).error, ErrorCode::kNone);  // 2: abort
  ASSERT_EQ(p.aborted.size(), 1u);
  EXPECT_EQ(p.aborted[0], (AbortedTransaction{ProducerId(1), Offset(0), Offset(2), Offset(1)}));
  EXPECT_EQ(p.state.first_undecided(), Offset(1));
  EXPECT_EQ(p.state.first_unstable(Offset(2)), Offset(0));  // the marker isn't replicated yet
  EXPECT_EQ(p.state.first_unstable(Offset(3)), Offset(1));
  p.state.on_high_watermark(Offset(3));
  EXPECT_EQ(p.state.first_unstable(Offset(2)), Offset(1));
  ASSERT_EQ(p.marker(2, 0, false).error, ErrorCode::kNone);  // 3
  EXPECT_EQ(p.aborted[1].last_stable_offset, Offset(4));     // nobody else's is open
  EXPECT_FALSE(p.state.first_undecided());
  EXPECT_EQ(p.marker(7, 0, true).error, ErrorCode::kNone);  // a marker without a transaction is fine
  EXPECT_FALSE(p.state.find(ProducerId(7))->in_transaction());
}

TEST(ProducerState, MarkersFenceByEpochs) {
  Producers p;
  ASSERT_EQ(p.data(1, 5, 0, 1, true).error, ErrorCode::kNone);
  EXPECT_EQ(p.marker(1, 4, true).error, ErrorCode::kInvalidProducerEpoch);
  EXPECT_EQ(p.marker(1, 5, true, 0, 2).error,
            ErrorCode::kInvalidProducerEpoch);  // v2: the marker's epoch is one above
  EXPECT_EQ(p.marker(1, 6, true, 3, 2).error, ErrorCode::kNone);
  EXPECT_EQ(p.marker(1, 6, true, 3, 2).error, ErrorCode::kNone);  // again, idempotent
  EXPECT_EQ(p.marker(1, 6, true, 2, 2).error, ErrorCode::kTransactionCoordinatorFenced);
  EXPECT_EQ(p.data(1, 5, 1, 1, true).error, ErrorCode::kInvalidProducerEpoch);
  EXPECT_EQ(p.data(1, 6, 0, 1, true).error, ErrorCode::kNone);  // the bumped epoch begins with 0
}

TEST(ProducerState, VerificationGuardsTheFirstTransactionalBatch) {
  Producers p;
  const auto send = [&](VerificationGuard guard, int32_t sequence, int16_t epoch = 0) {
    return p.append(make_batch({.base_offset = p.next,
                                .producer_id = 1,
                                .producer_epoch = epoch,
                                .sequence = sequence,
                                .transactional = true}),
                    {.guard = guard});
  };
  EXPECT_EQ(send(kNoVerificationGuard, 0).error, ErrorCode::kInvalidTxnState);
  const VerificationGuard guard =
      p.state.start_verification(ProducerId(1), 0, ProducerEpoch(0), false, p.now);
  EXPECT_NE(guard, kNoVerificationGuard);
  EXPECT_EQ(p.state.start_verification(ProducerId(1), 1, ProducerEpoch(0), false, p.now), guard);
  EXPECT_EQ(send(guard + 1, 0).error, ErrorCode::kInvalidTxnState);
  EXPECT_EQ(send(guard, 1).error, ErrorCode::kOutOfOrderSequenceNumber);  // sequence 0 is on its way
  EXPECT_EQ(send(guard, 0).error, ErrorCode::kNone);
  EXPECT_EQ(p.state.start_verification(ProducerId(1), 1, ProducerEpoch(0), false, p.now),
            kNoVerificationGuard);  // open now
  EXPECT_EQ(send(kNoVerificationGuard, 1).error, ErrorCode::kNone);
  ASSERT_EQ(p.marker(1, 0, false).error, ErrorCode::kNone);
  EXPECT_EQ(send(guard, 2).error, ErrorCode::kInvalidTxnState);  // the guard of the transaction before
}

TEST(ProducerState, ExpiresOnTheBrokersClock) {
  Producers p;
  p.now = 1000;
  // Records from 1970 and without any timestamp: neither makes the producer old.
  ASSERT_EQ(
      p.append(
           make_batch(
               {.timestamp = -1, .timestamps = {-1}, .producer_id = 1, .producer_epoch = 0, .sequence = 0}),
           {})
          .error,
      ErrorCode::kNone);
  p.now = 2000;
  ASSERT_EQ(p.data(2, 0, 0, 1, true).error, ErrorCode::kNone);
  p.state.remove_expired(1099, 100);
  EXPECT_EQ(p.state.size(), 2u);
  p.state.remove_expired(1100, 100);
  EXPECT_EQ(p.state.size(), 1u);
  p.state.remove_expired(999999, 100);
  EXPECT_EQ(p.state.size(), 1u);  // an open transaction keeps it
  EXPECT_EQ(p.state.oldest_transaction_seen_ms(), 2000);
}

TEST(ProducerState, SeveralBatchesInOneAppend) {
  Producers p;
  ProducerAppend append(p.state, {.origin = AppendOrigin::kClient, .verify_transactions = false});
  const auto first =
      make_batch({.base_offset = 0, .records = 2, .producer_id = 1, .producer_epoch = 0, .sequence = 0});
  const auto second = make_batch({.base_offset = 2, .producer_id = 1, .producer_epoch = 0, .sequence = 2});
  const auto other = make_batch(
      {.base_offset = 3, .producer_id = 2, .producer_epoch = 0, .sequence = 9, .transactional = true});
  ASSERT_TRUE(append.add(BatchHeader(first.data())));
  ASSERT_TRUE(append.add(BatchHeader(second.data())));
  ASSERT_TRUE(append.add(BatchHeader(other.data())));
  EXPECT_EQ(p.state.size(), 0u);  // nothing before commit
  append.commit(1);
  EXPECT_EQ(p.state.find(ProducerId(1))->last_sequence(), 2);
  EXPECT_EQ(p.state.find(ProducerId(1))->batch_count, 2);
  EXPECT_EQ(p.state.first_undecided(), Offset(3));
}

TEST(ProducerSnapshot, RoundTripAndDamage) {
  Producers p;
  ASSERT_EQ(p.data(7, 1, 10, 3).error, ErrorCode::kNone);
  ASSERT_EQ(p.data(3, 0, 0, 1, true).error, ErrorCode::kNone);
  ASSERT_EQ(p.marker(9, 2, true, 4).error, ErrorCode::kNone);
  const std::string file = format_producer_snapshot(p.state);
  auto entries = parse_producer_snapshot(as_bytes(file));
  ASSERT_TRUE(entries);
  ProducerState loaded;
  for (const SnapshotEntry& e : *entries) loaded.restore(e.id, e.state, 9999);
  EXPECT_EQ(format_producer_snapshot(loaded), file);
  EXPECT_EQ(loaded.first_undecided(), Offset(3));
  EXPECT_EQ(loaded.find(ProducerId(7))->last_batch()->first_offset(), Offset(0));
  EXPECT_EQ(loaded.find(ProducerId(9))->coordinator_epoch, 4);

  for (size_t i = 0; i < file.size(); ++i) {
    std::string damaged = file;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
    EXPECT_FALSE(parse_producer_snapshot(as_bytes(damaged))) << i;
    EXPECT_FALSE(parse_producer_snapshot(as_bytes(std::string_view(file).substr(0, i)))) << i;
  }
}

}  // namespace
}  // namespace moldau
