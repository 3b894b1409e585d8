// IndexTail: the end of an index that still grows. Entries are in memory first and reach the file later; only the newest
// stay in memory once they are written, so a lookup of something recent needs no file. Owner: the log's lane.
//
//   file     [0 … written)                         content of the file that counts
//   memory             [first … count)             first <= written: nothing is in neither
#pragma once
#include <string>
#include <vector>

#include "base/bytes.h"

namespace moldau {

template <class Entry>
class IndexTail {
 public:
  static constexpr size_t kKeep = 256;       // written entries that stay in memory
  static constexpr size_t kWriteFrom = 512;  // this many unwritten ones are worth a write

  IndexTail() = default;
  explicit IndexTail(int32_t in_file) : first_(in_file), written_(in_file) {}

  int32_t count() const { return first_ + static_cast<int32_t>(entries_.size()); }
  int32_t first() const { return first_; }
  int32_t written() const { return written_; }
  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* last() const { return entries_.empty() ? nullptr : &entries_.back(); }
  // Everything is in the file, and durable there. A file that was found may hold more than counts: it isn't, at first.
  bool all_synced() const { return synced_ == count(); }
  bool worth_writing() const { return static_cast<size_t>(count() - written_) >= kWriteFrom; }

  void append(const Entry& entry) { entries_.push_back(entry); }
  int64_t write_position() const { return int64_t{written_} * static_cast<int64_t>(Entry::kSize); }
  std::string unwritten() const {
    std::string bytes(static_cast<size_t>(count() - written_) * Entry::kSize, '\0');
    auto* p = reinterpret_cast<uint8_t*>(bytes.data());
    for (size_t i = static_cast<size_t>(written_ - first_); i < entries_.size(); ++i, p += Entry::kSize)
      entries_[i].store(p);
    return bytes;
  }
  void mark_synced(int32_t count) { synced_ = count; }
  // The file holds the first `count` entries now.
  void mark_written(int32_t count) {
    if (count > written_) written_ = count;
    const size_t droppable = static_cast<size_t>(written_ - first_);
    if (droppable >= 2 * kKeep) {
      const size_t drop = droppable - kKeep;
      entries_.erase(entries_.begin(), entries_.begin() + static_cast<ptrdiff_t>(drop));
      first_ += static_cast<int32_t>(drop);
    }
  }

 private:
  int32_t first_ = 0;
  int32_t written_ = 0;
  int32_t synced_ = -1;  // as of the last flush; -1: there was none
  std::vector<Entry> entries_;
};

}  // namespace moldau
