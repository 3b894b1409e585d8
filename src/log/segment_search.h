// SegmentSearch: finds offsets, timestamps and aborted transactions in one segment, through its indexes. Works on a copy of
// what it needs, so it may run in the pool while the log goes on; on the lane it reads only what is in memory and gives up
// as soon as it would have to wait.
//
// An index is a hint: what it says is checked against the batch that it points to, and a search that finds it wrong reads
// the segment from its beginning (and says so: index_damaged). A damaged index costs time, never a wrong answer.
#pragma once
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "io/file_system.h"
#include "log/state/batch_frame.h"
#include "log/state/index_entries.h"
#include "log/state/recent_batches.h"

namespace moldau {

inline constexpr int32_t kUnknownEntries = -1;

struct SegmentView {
  Offset base;
  Offset end;  // exclusive: the next segment's base, or log end
  int64_t size = 0;
  std::string stem;       // path without suffix: where files are opened from. Empty: only what is open
  bool swapping = false;  // the names may end in .swap, see Segment
  std::shared_ptr<const void> pin;  // while it is held, the files keep their names but for that
  std::shared_ptr<const io::File> log, offsets, times, txns;
  // How many entries of the files count; kUnknownEntries: all that are there.
  int32_t offset_entries = 0;
  int32_t time_entries = 0;
  int32_t txn_entries = 0;
  // What follows those in memory, for a segment that grows.
  std::vector<OffsetEntry> offset_tail;
  std::vector<TimeEntry> time_tail;
  std::vector<TxnEntry> txn_tail;
};

// No answer: without an error, because it needs the disk.
struct Miss {
  std::optional<io::IoError> error;
  bool corrupt = false;  // reading went well, but what was read is no batch
};
template <class T>
using Search = std::expected<T, Miss>;

class SegmentSearch {
 public:
  enum class Waiting { kNever, kAllowed };
  // `files` may be null if waiting isn't allowed. The view outlives the search and keeps what it opens.
  SegmentSearch(io::FileSystem* files, SegmentView& view, Waiting waiting)
      : files_(files), view_(view), waiting_(waiting) {}

  // The first batch whose last offset is at or above `target`; nullopt: all end below.
  Search<std::optional<Located>> locate(Offset target);
  // An offset above all batches that begin before `position`; near it, or the segment's end.
  Search<Offset> offset_bound(int64_t position);
  // Appends aborted transactions that overlap [from, below). True: later segments have none.
  Search<bool> collect_aborted(Offset from, Offset below, std::vector<AbortedTransaction>& out);
  // The largest timestamp and the offset of its batch, from the time index and what it doesn't cover.
  struct MaxTimestamp {
    WallMs timestamp = -1;
    Offset offset{-1};
  };
  Search<MaxTimestamp> max_timestamp();
  Search<std::optional<TimeEntry>> last_time_entry();
  // Of the last batch that the offset index speaks of; 0 if it is empty.
  Search<int64_t> last_indexed_position();
  // A position at or before the first batch with a timestamp at or above.
  Search<int64_t> position_for_timestamp(WallMs timestamp);
  // The batch at a position; nullopt at the end.
  Search<std::optional<BatchFrame>> frame_at(int64_t position);

  bool index_damaged() const { return index_damaged_; }

 private:
  struct Floor {
    Offset offset;  // the batch at `position` doesn't end above
    int64_t position = 0;
    bool sure = false;  // the segment's beginning, not what an index says
  };
  struct Scanned {
    std::optional<Located> batch;
    bool damaged = false;  // the floor was none
  };
  template <class Entry>
  struct Between {
    std::optional<Entry> last;  // for which the condition holds
    std::optional<Entry> next;  // the one behind it
  };

  Search<bool> read(const io::File& file, int64_t position, MutableBytes into) const;
  Search<std::shared_ptr<const io::File>> open(std::shared_ptr<const io::File>& slot,
                                               std::string_view suffix);
  template <class Entry>
  Search<int32_t> entries_in_file(std::shared_ptr<const io::File>& slot, std::string_view suffix,
                                  int32_t& count);
  // Where a condition that holds for the first entries ends, in file and tail together.
  template <class Entry, class Below>
  Search<Between<Entry>> between(std::shared_ptr<const io::File>& slot, std::string_view suffix,
                                 int32_t& count, const std::vector<Entry>& tail, const Below& below);
  struct TimedBatch {
    int64_t position = 0;
    BatchFrame frame;
  };
  Search<MaxTimestamp> max_timestamp_from(int64_t position);
  Search<std::optional<BatchFrame>> plausible_frame_at(int64_t position);  // nullopt: no batch begins there
  Search<std::optional<TimedBatch>> batch_of(const TimeEntry& entry);
  Search<Floor> floor_of(Offset target);
  Search<Scanned> scan(const Floor& from, Offset target);

  io::FileSystem* files_;
  SegmentView& view_;
  Waiting waiting_;
  bool index_damaged_ = false;
};

}  // namespace moldau
