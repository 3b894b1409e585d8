// Leader: the leader's view of one partition: who is in sync, how far each replica got, and so the high
// watermark. Pure. Owner: the partition's lane.
//
// Invariants
//   H1  the high watermark never falls while this leader epoch lasts, and is at most the log's end
//   H2  the high watermark is the smallest log end among the in-sync replicas, once that has passed it
#pragma once
#include <span>
#include <vector>

#include "base/ids.h"

namespace moldau {

class Leader {
 public:
  struct Term {  // what the metadata log says of the partition
    LeaderEpoch epoch;
    PartitionEpoch partition_epoch;
    std::vector<BrokerId> replicas;
    std::vector<BrokerId> isr;
  };

  // This broker begins to lead, its log ending at `log_end`; `high_watermark` is what it knew as a follower
  // or from its checkpoint.
  Leader(BrokerId self, Term term, Offset high_watermark, Offset log_end);

  // The metadata log changed the partition without a new leader epoch.
  void change(Term term);
  // The own log's end moved. True if the high watermark rose.
  bool on_append(Offset log_end);

  LeaderEpoch epoch() const { return term_.epoch; }
  Offset epoch_start() const { return epoch_start_; }  // where this leader's own records begin
  Offset log_end() const { return log_end_; }          // as far as it was told
  Offset high_watermark() const { return high_watermark_; }
  std::span<const BrokerId> isr() const { return term_.isr; }

  // Whether a produce with acks=-1 may be appended: min.insync.replicas counts, but never more replicas than
  // there are.
  bool has_min_isr(int32_t min_insync_replicas) const;

 private:
  bool raise_high_watermark();

  BrokerId self_;
  Term term_;
  Offset epoch_start_;
  Offset log_end_;
  Offset high_watermark_;
};

}  // namespace moldau
