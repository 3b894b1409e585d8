// The floor's only storage: one file with batches of one size, one after the other, so that an offset tells a place.
#pragma once
#include <string>

#include "base/bytes.h"

namespace moldau::bench {

class FloorFile {
 public:
  explicit FloorFile(const std::string& path);  // empties it

  int fd() const { return fd_; }
  // Checks the checksum, stamps the base offset, writes into the page cache. False: the checksum is wrong.
  bool append(MutableBytes batch, int64_t& base_offset);
  struct Place {
    int64_t at = 0, bytes = 0;
  };
  Place find(int64_t offset, int64_t max_bytes) const;

 private:
  static constexpr int64_t kMaxBytes = 4LL << 30;  // then it begins anew

  int fd_;
  int64_t end_ = 0, next_offset_ = 0;
  int64_t batch_bytes_ = 1, batch_records_ = 1;
};

}  // namespace moldau::bench
