// BatchCursor: the whole batches of a closed segment's .log, one after another. Blocking, for the pool.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"
#include "log/state/batch_frame.h"

namespace moldau {

class BatchCursor {
 public:
  BatchCursor(std::shared_ptr<const io::File> file, int64_t from, int64_t to)
      : file_(std::move(file)), position_(from), end_(to) {}

  struct Found {
    BatchFrame frame;
    Bytes bytes;  // until the next call
  };
  // The next one, of any format; nullopt at the end. CORRUPT_MESSAGE where none begins, where it isn't whole, or (format 2)
  // where its checksum is wrong; KAFKA_STORAGE_ERROR if reading fails. An error repeats.
  Result<std::optional<Found>> next();
  int64_t position() const { return position_; }  // of the next one

 private:
  Status fill(int64_t need);
  Bytes at_hand() const;
  std::unexpected<Error> damaged(const std::string& how) const;

  std::shared_ptr<const io::File> file_;
  int64_t position_;
  int64_t end_;
  std::vector<uint8_t> window_;
  int64_t window_begin_ = 0;
};

}  // namespace moldau
