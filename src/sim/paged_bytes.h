// PagedBytes: the content of a simulated file. Sparse (a hole reads as zeroes and takes no room) and
// copy-on-write, so that a disk with preallocated indexes is cheap to keep and cheap to clone at every call
// of a sweep.
#pragma once
#include <array>
#include <map>
#include <memory>

#include "base/bytes.h"

namespace moldau::sim {

inline constexpr int64_t kPageBytes = 4096;
inline constexpr int64_t kSectorBytes = 512;  // what a disk writes whole or not at all

class PagedBytes {
 public:
  int64_t size() const { return size_; }
  int64_t allocated_bytes() const { return static_cast<int64_t>(pages_.size()) * kPageBytes; }
  bool allocated(int64_t position) const { return pages_.contains(position / kPageBytes); }

  // Reads at most to the end; returns how much.
  size_t read(int64_t position, MutableBytes into) const;
  // Grows as needed; what lies between the old end and `position` becomes a hole.
  void write(int64_t position, Bytes bytes);
  // Cut off bytes never come back: growing again reads zeroes.
  void resize(int64_t size);
  // Copies [position, position + length) from `other`, past either's end too: there it is zeroes. The size
  // stays.
  void copy_range(const PagedBytes& other, int64_t position, int64_t length);

  // Calls each(position of a page) for the allocated pages at or after `position`.
  template <class F>
  void each_page(int64_t position, F each) const {
    for (auto it = pages_.lower_bound(position / kPageBytes); it != pages_.end(); ++it)
      each(it->first * kPageBytes);
  }

 private:
  using Page = std::array<uint8_t, kPageBytes>;
  Page& writable(int64_t index);

  int64_t size_ = 0;
  std::map<int64_t, std::shared_ptr<Page>> pages_;
};

}  // namespace moldau::sim
