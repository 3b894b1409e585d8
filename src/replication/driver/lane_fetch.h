// LaneFetch: the part of one fetch that concerns one lane. Reads its partitions one after another within the
// request's bytes; where an index page or the records themselves aren't in memory, the pool brings them and
// the lane goes on with others meanwhile. Owner: the lane. Keeps itself alive until `done`.
#pragma once
#include <memory>

#include "replication/driver/partition_lane.h"

namespace moldau {

class LaneFetch : public std::enable_shared_from_this<LaneFetch> {
 public:
  static void start(PartitionLane& lane, std::shared_ptr<const ports::FetchRequest> request,
                    PartitionLane::Indexes parts, ports::FetchDone done);

  LaneFetch(PartitionLane& lane, std::shared_ptr<const ports::FetchRequest> request,
            PartitionLane::Indexes parts, ports::FetchDone done);

 private:
  void run();
  bool read_next(const std::shared_ptr<ColdRead>& answered);  // false: continues later
  void warm(size_t from);

  PartitionLane& lane_;
  std::shared_ptr<const ports::FetchRequest> request_;
  PartitionLane::Indexes parts_;
  ports::FetchDone done_;
  std::vector<ports::FetchOutcome> outcomes_;
  int64_t left_;        // bytes that may still be returned
  bool found_ = false;  // some partition had records: the one-batch exception is used up
};

}  // namespace moldau
