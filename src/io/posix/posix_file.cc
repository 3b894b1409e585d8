#include "io/posix/posix_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "io/posix/system_error.h"

namespace moldau::io {
namespace {

constexpr size_t kMostParts = 256;  // of one pwritev
constexpr int64_t kPageBytes = 4096;

// cachestat(2), Linux 6.5: how many pages of a range are in the page cache. Starts no I/O. Newer than our C
// library.
struct CacheRange {
  uint64_t offset, length;
};
struct CacheState {
  uint64_t cached, dirty, writeback, evicted, recently_evicted;
};
constexpr long kCachestat = 451;

}  // namespace

IoResult<int64_t> PosixFile::size() const {
  struct stat state;
  if (::fstat(descriptor_.get(), &state) != 0) return system_error(errno, path_);
  return state.st_size;
}

IoResult<size_t> PosixFile::read_at(int64_t position, MutableBytes into) const {
  size_t done = 0;
  while (done < into.size()) {
    const ssize_t n = ::pread(descriptor_.get(), into.data() + done, into.size() - done,
                              position + static_cast<off_t>(done));
    if (n == 0) break;
    if (n > 0)
      done += static_cast<size_t>(n);
    else if (errno != EINTR)
      return system_error(errno, "read " + path_);
  }
  return done;
}

IoStatus PosixFile::write_at(int64_t position, std::span<const Bytes> parts) {
  iovec vectors[kMostParts];
  size_t skip = 0;  // of parts.front()
  for (;;) {
    while (!parts.empty() && skip >= parts.front().size())
      skip -= parts.front().size(), parts = parts.subspan(1);
    if (parts.empty()) return {};
    const size_t count = std::min(parts.size(), kMostParts);
    for (size_t i = 0; i < count; ++i) vectors[i] = {const_cast<uint8_t*>(parts[i].data()), parts[i].size()};
    vectors[0].iov_base = static_cast<uint8_t*>(vectors[0].iov_base) + skip;
    vectors[0].iov_len -= skip;
    const ssize_t n = ::pwritev(descriptor_.get(), vectors, static_cast<int>(count), position);
    if (n < 0) {
      if (errno == EINTR) continue;
      return system_error(errno, "write " + path_);
    }
    position += n;
    skip += static_cast<size_t>(n);
  }
}

IoStatus PosixFile::truncate(int64_t size) {
  while (::ftruncate(descriptor_.get(), size) != 0) {
    if (errno != EINTR) return system_error(errno, "truncate " + path_);
  }
  return {};
}

void PosixFile::reserve(int64_t position, int64_t length) {
  (void)::fallocate(descriptor_.get(), FALLOC_FL_KEEP_SIZE, position, length);
}

// fdatasync leaves out only times: a changed size is needed to read the content, and is flushed.
IoStatus PosixFile::sync() {
  if (::fdatasync(descriptor_.get()) != 0) return system_error(errno, "sync " + path_);
  return {};
}

// Two ways, both without waiting for the disk: cachestat sees every page and starts no I/O; before Linux 6.5,
// a read that may not wait, of one byte at the start, in the middle and at the end (it may start read-ahead,
// which the caller is about to want anyway). mincore would need a mapping, and so three calls and the
// process's memory lock.
bool PosixFile::cached(int64_t position, int64_t length) const {
  static std::atomic<bool> has_cachestat{true};
  if (length <= 0) return true;
  if (has_cachestat.load(std::memory_order_relaxed)) {
    CacheRange range{static_cast<uint64_t>(position), static_cast<uint64_t>(length)};
    CacheState state{};
    if (::syscall(kCachestat, descriptor_.get(), &range, &state, 0) == 0) {
      const int64_t pages = (position + length + kPageBytes - 1) / kPageBytes - position / kPageBytes;
      return state.cached >= static_cast<uint64_t>(pages);
    }
    if (errno == ENOSYS) has_cachestat = false;  // EOPNOTSUPP: this file system only
  }
  for (const int64_t at : {position + length - 1, position, position + length / 2}) {
    uint8_t byte;
    iovec vector{&byte, 1};
    if (::preadv2(descriptor_.get(), &vector, 1, at, RWF_NOWAIT) < 0 && errno == EAGAIN) return false;
  }
  return true;
}

}  // namespace moldau::io
