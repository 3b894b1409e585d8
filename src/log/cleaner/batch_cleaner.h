// BatchCleaner: what compaction makes of one batch. Batches go through it in the log's order. Pure. Owner: one cleaning.
//
// A record stays if it is above the map's end, or if its key's latest offset is its own and it isn't a tombstone whose time
// has come. Records without a key go, and those of aborted transactions. A tombstone, and a marker whose transaction has no
// batches left, is given delete.retention.ms from the first cleaning that meets it: that moment, the delete horizon, is
// written into its batch (attribute bit 6, in place of the base timestamp; KIP-534).
//
//   batch                                                    if none of its records stay
//   the last of a producer that the log knows (or, if it     stays without records: the producer's sequence, epoch and
//   has no data, a marker of its epoch)                      open transaction are rebuilt from it after a restart
//   the last of the round                                    stays without records: the offsets up to there stay taken
//   any other                                                goes
//
// A batch that loses records keeps its offsets, codec, producer and last offset. One that loses none and needs no delete
// horizon is copied as it is. Batches of formats 0 and 1 are copied as they are, and their keys aren't in any map: nothing
// that only they supersede goes. (Kafka cleans those, too.)
#pragma once
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "base/result.h"
#include "log/cleaner/cleaned_transactions.h"
#include "log/cleaner/offset_map.h"
#include "record/compressor.h"
#include "record/record_reader.h"

namespace moldau {

// What is left to say about a producer that the log knows.
struct LastOfProducer {
  std::optional<Offset> data;  // last offset of its last batch, if one of its epoch is remembered
  ProducerEpoch epoch = kNoProducerEpoch;
};
using LastOfProducers = absl::flat_hash_map<ProducerId, LastOfProducer>;
LastOfProducers last_of_producers(const ProducerState& state);

class BatchCleaner {
 public:
  struct Round {  // constant while a log is cleaned
    const OffsetMap* latest = nullptr;
    Offset map_end;    // exclusive: what the map knows; records from here on stay
    Offset round_end;  // exclusive: up to where this round might clean
    const LastOfProducers* producers = nullptr;
    WallMs now_ms = 0;
    int64_t delete_retention_ms = 0;
  };
  explicit BatchCleaner(const Round& round) : round_(round) { reader_.set_limits(RecordLimits::stored()); }

  struct Counts {
    int64_t records_read = 0;
    int64_t records_kept = 0;
  };
  // A whole batch of format 2 with a valid checksum. Appends to `out` what is to be written, or nothing. CORRUPT_MESSAGE if
  // its records can't be read, or don't have rising offsets within the batch: nothing was appended then.
  Status clean(Bytes batch, CleanedTransactions& transactions, std::string& out);
  const Counts& counts() const { return counts_; }

 private:
  struct Verdict {
    bool keep_empty = false;
    bool drop_records = false;
    bool gone_transaction = false;  // a marker of which nothing else is left
  };
  struct Kept {
    int32_t records = 0;
    bool all = true;
    bool tombstone = false;
  };
  Verdict judge(const BatchHeader& batch, CleanedTransactions& transactions) const;
  bool is_last_of_producer(const BatchHeader& batch) const;
  bool keeps(const BatchHeader& batch, const RecordView& record) const;
  Result<Kept> count_kept(const BatchHeader& batch);
  Status rebuild(const BatchHeader& batch, std::optional<WallMs> delete_horizon, std::string& out);

  Round round_;
  Counts counts_;
  RecordReader reader_;
  Compressor compressor_;
};

}  // namespace moldau
