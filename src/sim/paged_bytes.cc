#include "sim/paged_bytes.h"

#include <algorithm>

namespace moldau::sim {
namespace {

// Calls each(page index, offset in the page, offset in the range, length) for the pieces of a range.
template <class F>
void each_piece(int64_t position, int64_t length, F each) {
  for (int64_t done = 0; done < length;) {
    const int64_t offset = (position + done) % kPageBytes;
    const int64_t n = std::min(kPageBytes - offset, length - done);
    each((position + done) / kPageBytes, offset, done, static_cast<size_t>(n));
    done += n;
  }
}

}  // namespace

PagedBytes::Page& PagedBytes::writable(int64_t index) {
  std::shared_ptr<Page>& page = pages_[index];
  if (!page)
    page = std::make_shared<Page>(Page{});
  else if (page.use_count() > 1)
    page = std::make_shared<Page>(*page);
  return *page;
}

size_t PagedBytes::read(int64_t position, MutableBytes into) const {
  const int64_t length = std::clamp<int64_t>(size_ - position, 0, static_cast<int64_t>(into.size()));
  each_piece(position, length, [&](int64_t index, int64_t offset, int64_t done, size_t n) {
    const auto page = pages_.find(index);
    if (page == pages_.end())
      std::memset(into.data() + done, 0, n);
    else
      std::memcpy(into.data() + done, page->second->data() + offset, n);
  });
  return static_cast<size_t>(length);
}

void PagedBytes::write(int64_t position, Bytes bytes) {
  each_piece(position, static_cast<int64_t>(bytes.size()),
             [&](int64_t index, int64_t offset, int64_t done, size_t n) {
               std::memcpy(writable(index).data() + offset, bytes.data() + done, n);
             });
  if (!bytes.empty()) size_ = std::max(size_, position + static_cast<int64_t>(bytes.size()));
}

void PagedBytes::resize(int64_t size) {
  if (size < size_) {
    pages_.erase(pages_.lower_bound((size + kPageBytes - 1) / kPageBytes), pages_.end());
    const int64_t tail = size % kPageBytes;
    if (tail != 0 && allocated(size)) {
      Page& last = writable(size / kPageBytes);
      std::fill(last.begin() + tail, last.end(), uint8_t{0});
    }
  }
  size_ = size;
}

void PagedBytes::copy_range(const PagedBytes& other, int64_t position, int64_t length) {
  each_piece(position, length, [&](int64_t index, int64_t offset, int64_t, size_t n) {
    const auto from = other.pages_.find(index);
    if (from != other.pages_.end() && n == kPageBytes) {
      pages_[index] = from->second;  // shared until one of the two writes
    } else if (from != other.pages_.end()) {
      std::memcpy(writable(index).data() + offset, from->second->data() + offset, n);
    } else if (pages_.contains(index)) {
      std::memset(writable(index).data() + offset, 0, n);
    }
  });
}

}  // namespace moldau::sim
