// RaftDriver: what listeners hear, from a snapshot, from memory or from the log.
#include "base/assert.h"
#include "raft/driver/batch_contents.h"
#include "raft/driver/control_batches.h"
#include "raft/driver/raft_driver.h"

namespace moldau {

template <class Call>
bool RaftDriver::tell(Call&& call) {
  for (RaftListener* listener : listeners_) {
    if (Status heard = call(*listener); !heard) return fault(std::move(heard).error()), false;
  }
  return true;
}

// ---- a snapshot

struct SnapshotLoading {
  OffsetAndEpoch id;
  std::optional<WallMs> last_timestamp;  // set: the header was there
  bool ended = false;                    // the footer was there
  Result<Buffer> chunk;
};

void RaftDriver::load_snapshot() {
  auto loading = std::make_shared<SnapshotLoading>();
  loading->id = snapshots_.back().id;
  auto reader = std::make_shared<Result<std::unique_ptr<SnapshotReader>>>();
  in_pool([&files = runtime_.files(), dir = directory_, id = loading->id,
           reader] { *reader = SnapshotReader::open(files, dir, id); },
          [this, reader, loading] {
            if (!*reader) return fault(std::move(*reader).error());
            if (!tell([&](RaftListener& l) { return l.on_snapshot_begin(loading->id); })) return;
            load_chunk(std::shared_ptr<SnapshotReader>(std::move(**reader)), loading);
          });
}

void RaftDriver::load_chunk(std::shared_ptr<SnapshotReader> reader,
                            std::shared_ptr<SnapshotLoading> loading) {
  in_pool([reader, loading] { loading->chunk = reader->next(); },
          [this, reader, loading] {
            if (!loading->chunk) return fault(std::move(loading->chunk).error());
            const std::string name = "snapshot " + snapshot_name(loading->id);
            if (loading->chunk->empty()) {
              if (!loading->ended)
                return fault({ErrorCode::kKafkaStorageError, name + " has no end: it is cut off"});
              return snapshot_loaded(loading->id, loading->last_timestamp.value_or(-1));
            }
            BatchVisitor visitor;
            visitor.data = [&](const BatchHeader&, std::span<const Bytes> records) -> Status {
              for (RaftListener* listener : listeners_) TRY(listener->on_snapshot_batch(records));
              return {};
            };
            visitor.control = [&](const BatchHeader&, const RecordView& record) -> Status {
              if (const auto at = snapshot_timestamp(record)) loading->last_timestamp = *at;
              loading->ended = is_snapshot_footer(record);
              return check_control_record(record);
            };
            auto visited = visit_batches(*loading->chunk, visitor);
            if (!visited) return fault({visited.error().code, name + ": " + visited.error().message});
            load_chunk(reader, loading);
          });
}

void RaftDriver::snapshot_loaded(const OffsetAndEpoch&, WallMs last_timestamp) {
  if (!tell([&](RaftListener& l) { return l.on_snapshot_end(last_timestamp); })) return;
  loading_snapshot_ = false;
  deliver();
}

// ---- batches

void RaftDriver::deliver() {
  if (loading_snapshot_ || reading_ || faulted_ || stopping_ || !quorum_.high_watermark()) return;
  const Offset committed = *quorum_.high_watermark();
  while (delivered_ < committed) {
    while (!appended_.empty() && appended_.front().base < delivered_) appended_.pop_front();
    if (appended_.empty() || appended_.front().base > delivered_) return read_log(nullptr);
    const Buffer batch = std::move(appended_.front().batch);
    appended_.pop_front();
    if (!deliver_bytes(batch)) return;
  }
  if (!tell([](RaftListener& l) { return l.on_commits_delivered(); })) return;
  announce_leader();
}

// What an earlier incarnation has appended comes from the log. `answered`: the search that had to wait for the disk.
void RaftDriver::read_log(std::shared_ptr<ColdRead> answered) {
  ReadRequest request;
  request.offset = delivered_;
  request.max_bytes = options_.read_chunk_bytes;
  request.min_one_message = true;
  request.upper_bound = *quorum_.high_watermark();
  auto read = log_->read(request, answered);
  if (!read) return fault(std::move(read).error());
  reading_ = true;
  if (read->cold) {
    in_pool([cold = read->cold] { cold->run(); },
            [this, cold = read->cold] {
              reading_ = false;
              if (!faulted_ && !stopping_) read_log(cold);
            });
    return;
  }
  ASSERT(read->range.length > 0, "there is something below the high watermark");
  auto bytes = std::make_shared<io::IoResult<size_t>>();
  Buffer into = Buffer::allocate(static_cast<size_t>(read->range.length));
  in_pool([bytes, into, range = read->range] { *bytes = range.file->read_at(range.position, into.span()); },
          [this, bytes, into] {
            reading_ = false;
            if (!*bytes) return fault(std::move(*bytes).error().to_error());
            if (deliver_bytes(Bytes(into).first(**bytes))) deliver();
          });
}

bool RaftDriver::deliver_bytes(Bytes batches) {
  if (faulted_ || stopping_) return false;
  BatchVisitor visitor;
  visitor.data = [this](const BatchHeader& batch, std::span<const Bytes> records) {
    return deliver_batch(batch, records);
  };
  visitor.control = [this](const BatchHeader& batch, const RecordView& record) -> Status {
    TRY(check_control_record(record));
    return deliver_batch(batch, {});
  };
  if (auto visited = visit_batches(batches, visitor); !visited)
    return fault(std::move(visited).error()), false;
  return true;
}

Status RaftDriver::deliver_batch(const BatchHeader& batch, std::span<const Bytes> records) {
  if (batch.next_offset() <= delivered_ || batch.base_offset() >= *quorum_.high_watermark()) return {};
  CommittedBatch committed{batch.base_offset(),
                           batch.last_offset(),
                           batch.leader_epoch(),
                           batch.max_timestamp(),
                           static_cast<int64_t>(batch.size()),
                           records};
  for (RaftListener* listener : listeners_) TRY(listener->on_commit(committed));
  delivered_ = batch.next_offset();
  return {};
}

// A leader hears that it is one when it has heard everything before its epoch.
void RaftDriver::announce_leader() {
  const LeaderAndEpoch now = leader();
  if (now.leader == kNoBroker || now == announced_ || delivered_ <= epoch_start_) return;
  announced_ = now;
  for (RaftListener* listener : listeners_) {
    listener->on_leader_change(now);
    if (announced_ != now) return;  // it has resigned: all know already that nobody leads
  }
}

}  // namespace moldau
