// CleanedTransactions: while a log's batches go by in their order, which of them belong to aborted transactions, and which
// markers have outlived their transaction. One for the map, one for the cleaning of all groups. Pure.
//
//   batch                                  discardable
//   transactional, of an aborted one       yes
//   any other data                         no
//   abort marker                           unless a batch of its transaction went by
//   commit marker                          unless a batch of its transaction went by
//   another control record                 no
//   a control batch without records        yes: an earlier cleaning took them
#pragma once
#include <map>
#include <queue>
#include <set>
#include <span>
#include <vector>

#include "base/ids.h"
#include "log/state/producer_state.h"
#include "record/batch_header.h"

namespace moldau {

class CleanedTransactions {
 public:
  // Aborted transactions that overlap the batches to come. May name one twice.
  void add_aborted(std::span<const AbortedTransaction> aborted);
  // The next batch; all its bytes are there. True: its records may go.
  bool on_batch(const BatchHeader& batch);
  // Aborted transactions whose markers stay, in the order of the markers: the cleaned segment's transaction index.
  std::vector<AbortedTransaction> take_retained();

 private:
  struct Ongoing {
    AbortedTransaction txn;
    bool has_batches = false;
  };
  struct LaterFirst {
    bool operator()(const AbortedTransaction& a, const AbortedTransaction& b) const {
      return a.first_offset > b.first_offset;
    }
  };
  void begin_aborted_up_to(Offset offset);
  bool on_control(const BatchHeader& batch);

  std::priority_queue<AbortedTransaction, std::vector<AbortedTransaction>, LaterFirst> coming_;
  std::map<ProducerId, Ongoing> aborted_;
  std::set<ProducerId> others_;  // open or committed, with a batch that went by
  std::vector<AbortedTransaction> retained_;
};

}  // namespace moldau
