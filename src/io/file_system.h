// FileSystem and File: blocking calls, to be made from a lane only where they can't wait (appending to the
// page cache, reading what is cached), otherwise through BlockingPool. Paths are absolute or relative to the
// working directory.
//
// Durability is POSIX's, no better: bytes survive a power loss after File::sync, names after sync_dir of the
// directory.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "io/io_error.h"

namespace moldau::io {

class File {
 public:
  virtual ~File() = default;  // closes
  virtual const std::string& path() const = 0;
  virtual IoResult<int64_t> size() const = 0;
  // Fills `into` from `position`; returns fewer bytes only at the end of the file.
  virtual IoResult<size_t> read_at(int64_t position, MutableBytes into) const = 0;
  // Writes all parts one after another from `position`, in one call to the system where it can. After an
  // error any prefix may have been written.
  virtual IoStatus write_at(int64_t position, std::span<const Bytes> parts) = 0;
  virtual IoStatus truncate(int64_t size) = 0;
  // A hint that the range is about to be written: the file system may set blocks aside for it. The size stays as it is;
  // truncate gives back what lies beyond it. That there is no room, or that it can't, is no error.
  virtual void reserve(int64_t /*position*/, int64_t /*length*/) {}
  // Makes content and size durable. After an error the file's unsynced content is unknown: never retry and go
  // on.
  virtual IoStatus sync() = 0;
  // True if reading the range wouldn't wait for the disk. May be wrong either way, rarely.
  virtual bool cached(int64_t position, int64_t length) const = 0;
  // The descriptor for sendfile, or -1 if the file system has none (the simulated one).
  virtual int descriptor() const = 0;

  IoStatus write_at(int64_t position, Bytes part) {
    return write_at(position, std::span<const Bytes>(&part, 1));
  }
};

struct FileRange {  // bytes of a file that are to be sent; keeps the file open, deleted or not
  std::shared_ptr<const File> file;
  int64_t position = 0;
  int64_t length = 0;
};

// Reads the range so that a send finds it in memory. Waits for the disk: only in the pool. What can't be read, the send tells.
void read_into_cache(const FileRange& range);

enum class OpenMode {
  kRead,       // must exist
  kReadWrite,  // must exist
  kCreate,     // read and write; created if it isn't there
  kTruncate,   // read and write; created or emptied
};

struct DirectoryEntry {
  std::string name;
  bool is_directory = false;
};

struct DiskSpace {
  int64_t total_bytes = 0;
  int64_t usable_bytes = 0;  // for this user
};

class FileLock {  // held until destroyed, or until the process ends
 public:
  virtual ~FileLock() = default;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual IoResult<std::shared_ptr<File>> open(const std::string& path, OpenMode mode) = 0;
  virtual IoResult<bool> exists(const std::string& path) = 0;
  virtual IoResult<std::vector<DirectoryEntry>> list(
      const std::string& directory) = 0;                             // sorted by name, without . and ..
  virtual IoStatus create_directories(const std::string& path) = 0;  // fine if already there
  virtual IoStatus rename(const std::string& from, const std::string& to) = 0;  // atomic; replaces a file
  virtual IoStatus remove(const std::string& path) = 0;      // a file or an empty directory
  virtual IoStatus remove_all(const std::string& path) = 0;  // fine if it isn't there
  virtual IoStatus sync_dir(const std::string& directory) = 0;
  virtual IoResult<std::unique_ptr<FileLock>> lock(
      const std::string& path) = 0;  // kBusy names the holder's process id
  virtual IoResult<DiskSpace> space(const std::string& path) = 0;

  // Replaces the content of a small file so that a crash leaves either the old or the new one: write to path
  // + ".tmp", sync, rename, sync the directory.
  IoStatus replace(const std::string& path, Bytes content);
  IoResult<std::string> read_whole(const std::string& path, int64_t at_most = 64 << 20);
};

}  // namespace moldau::io
