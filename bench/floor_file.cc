#include "bench/floor_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/crc32c.h"
#include "base/endian.h"
#include "bench/batch.h"
#include "bench/sockets.h"

namespace moldau::bench {

FloorFile::FloorFile(const std::string& path)
    : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
  if (fd_ < 0) die("cannot open " + path);
}

bool FloorFile::append(MutableBytes batch, int64_t& base_offset) {
  const auto size = static_cast<int64_t>(batch.size());
  if (batch.size() < kBatchHeaderBytes) return false;
  if (load_be<uint32_t>(batch.data() + kCrcAt) != crc32c(batch.subspan(kCrcFrom))) return false;
  if (end_ + size > kMaxBytes || size != batch_bytes_) end_ = next_offset_ = 0;
  batch_bytes_ = size;
  batch_records_ = load_be<int32_t>(batch.data() + kLastOffsetDeltaAt) + 1;
  base_offset = next_offset_;
  store_be(batch.data(), base_offset);
  if (pwrite(fd_, batch.data(), batch.size(), end_) != static_cast<ssize_t>(size)) die("cannot write");
  end_ += size;
  next_offset_ += batch_records_;
  return true;
}

FloorFile::Place FloorFile::find(int64_t offset, int64_t max_bytes) const {
  const int64_t at = std::min(offset / batch_records_ * batch_bytes_, end_);
  return {at, std::min(max_bytes, end_ - at)};
}

}  // namespace moldau::bench
