// FileCache: a lane's open files of segments and indexes, the least recently used closed first. A file that is in use
// elsewhere (a FileRange on its way to a socket, a work in the pool) stays open until that ends, but no longer counts.
// Owner: one lane. A node's limit is divided among its lanes.
//
// Invariants
//   C1  open() <= limit, except while a single get() holds one more
//   C2  an attached slot is in the list exactly if it holds a file
#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "io/file_system.h"

namespace moldau {

class FileCache;

// One file that may or may not be open. Without a cache (a log that is detached, in the pool) it stays open until close().
class FileSlot {
 public:
  FileSlot() = default;
  FileSlot(const FileSlot&) = delete;
  FileSlot& operator=(const FileSlot&) = delete;
  ~FileSlot() { close(); }

  const std::shared_ptr<io::File>& open_file() const { return file_; }  // null: closed
  void put(std::shared_ptr<io::File> file, FileCache* cache);           // opened elsewhere; replaces
  void touch();                                                         // used just now
  void close();                                                         // lets go of it
  void detach();                                                        // leaves the cache, stays open

 private:
  friend class FileCache;
  std::shared_ptr<io::File> file_;
  FileCache* cache_ = nullptr;
  FileSlot* newer_ = nullptr;
  FileSlot* older_ = nullptr;
};

class FileCache {
 public:
  explicit FileCache(size_t limit) : limit_(limit) {}
  FileCache(const FileCache&) = delete;
  FileCache& operator=(const FileCache&) = delete;
  ~FileCache();  // all slots must have left

  size_t open() const { return open_; }
  size_t limit() const { return limit_; }
  uint64_t evictions() const { return evictions_; }

 private:
  friend class FileSlot;
  void insert_newest(FileSlot& slot);
  void take_out(FileSlot& slot);

  size_t limit_;
  size_t open_ = 0;
  uint64_t evictions_ = 0;
  FileSlot* newest_ = nullptr;
  FileSlot* oldest_ = nullptr;
};

}  // namespace moldau
