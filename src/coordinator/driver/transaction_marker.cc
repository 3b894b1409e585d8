#include "coordinator/driver/transaction_marker.h"

#include "record/control_record.h"

namespace moldau {

std::optional<bool> committed_by(Bytes key, Bytes value) {
  const auto marker = parse_end_transaction(key, value);
  return marker ? std::optional(marker->commit) : std::nullopt;
}

}  // namespace moldau
