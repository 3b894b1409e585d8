#include "log/cleaner/cleaned_transactions.h"

#include <utility>

namespace moldau {

void CleanedTransactions::add_aborted(std::span<const AbortedTransaction> aborted) {
  for (const AbortedTransaction& txn : aborted) coming_.push(txn);
}

void CleanedTransactions::begin_aborted_up_to(Offset offset) {
  for (; !coming_.empty() && coming_.top().first_offset <= offset; coming_.pop())
    aborted_.try_emplace(coming_.top().producer_id, Ongoing{coming_.top()});
}

bool CleanedTransactions::on_batch(const BatchHeader& batch) {
  begin_aborted_up_to(batch.last_offset());
  if (batch.is_control()) return on_control(batch);
  if (!batch.is_transactional()) return false;
  const auto aborted = aborted_.find(batch.producer_id());
  if (aborted == aborted_.end()) {
    others_.insert(batch.producer_id());
    return false;
  }
  aborted->second.has_batches = true;
  return true;
}

bool CleanedTransactions::on_control(const BatchHeader& batch) {
  if (batch.record_count() == 0) return true;
  const auto marker = end_transaction_marker(batch);
  if (!marker) return false;
  if (marker->commit) return others_.erase(batch.producer_id()) == 0;
  const auto ongoing = aborted_.extract(batch.producer_id());
  if (ongoing.empty() || !ongoing.mapped().has_batches) return true;
  retained_.push_back(ongoing.mapped().txn);
  return false;
}

std::vector<AbortedTransaction> CleanedTransactions::take_retained() {
  return std::exchange(retained_, {});
}

}  // namespace moldau
