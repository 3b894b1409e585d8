// SimTrace: every event of a run folds into one 64-bit hash, so that two runs are equal if their hashes are.
// With a sink it is also one line an event:
//
//   seconds    node/lane kind    label number
//   0.000312   n1/0      task
//   0.000844   n1        sync    /data/t-0/00000000000000000000.log
//   0.001391   n2/1      read    n1:9092 118
//
// Kinds: start crash task timer work done (lanes and pool), log, the disk's calls, and on the network listen
// connect accept write read fin reset cut heal.
#pragma once
#include <functional>
#include <string>

#include "base/time.h"
#include "sim/prng.h"

namespace moldau::sim {

class SimTrace {
 public:
  using Sink = std::function<void(const std::string& line)>;
  void set_sink(Sink sink) { sink_ = std::move(sink); }

  // `lane` is -1 for what happens beside the lanes. `digest` stands for content that the line doesn't show.
  void note(Instant now, std::string_view node, int lane, std::string_view kind, std::string_view label = {},
            int64_t number = 0, uint32_t digest = 0);
  uint64_t hash() const { return hash_; }
  int64_t events() const { return events_; }

 private:
  uint64_t hash_ = 0;
  int64_t events_ = 0;
  Sink sink_;
};

}  // namespace moldau::sim
