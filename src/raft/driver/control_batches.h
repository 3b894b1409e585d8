// The quorum's control records: building their batches, reading what matters of them.
#pragma once
#include <optional>
#include <string>

#include "raft/quorum.h"
#include "record/batch_header.h"
#include "record/record.h"

namespace moldau {

std::string build_leader_change(const LeaderChange& change, Offset base, WallMs now);
std::string build_snapshot_header(const OffsetAndEpoch& id, WallMs last_timestamp, WallMs now);
std::string build_snapshot_footer(const OffsetAndEpoch& id, Offset base, WallMs now);

// A control record of the metadata log or of a snapshot: refuses what only a dynamic quorum (KIP-853) has. Types that nobody
// acts on pass.
Status check_control_record(const RecordView& record);
// SnapshotHeaderRecord's lastContainedLogTimestamp; nullopt: not such a record.
std::optional<WallMs> snapshot_timestamp(const RecordView& record);
bool is_snapshot_footer(const RecordView& record);

}  // namespace moldau
