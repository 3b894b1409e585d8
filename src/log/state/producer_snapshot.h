// The file <offset>.snapshot: a log's producer state up to that offset, as Kafka writes it. Pure.
//
//   0  version            int16   1
//   2  crc                uint32  CRC-32C of everything from byte 6
//   6  count              int32
//  10  entries, 46 bytes each:
//      producer id               int64
//      epoch                     int16
//      last sequence             int32   -1: no batch is remembered
//      last offset               int64   -1: no batch is remembered
//      offset delta              int32   last offset - first offset of the last batch
//      timestamp                 int64   Kafka: of the last batch. Here: when it was appended, by the broker's clock
//      coordinator epoch         int32
//      current txn first offset  int64   -1: no open transaction
//
// Only the last batch of a producer survives in it: after a restart an older duplicate counts as out of order, as in
// Kafka. Not through protocol/'s decoder, which refuses arrays of a million elements: a broker's own file may have more.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "log/state/producer_state.h"

namespace moldau {

struct SnapshotEntry {
  ProducerId id;
  ProducerEntry state;  // with at most one batch
};

std::string format_producer_snapshot(
    const ProducerState& state);  // by producer id, so that equal states give equal bytes
Result<std::vector<SnapshotEntry>> parse_producer_snapshot(Bytes content);

}  // namespace moldau
