// SmallList: a few values in order; kInside of them fit inside, more go to the heap. So that a partition with the usual
// replication factor costs no allocation but the one that it lies in.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace moldau {

template <class T, int32_t kInside>
class SmallList {
  static_assert(std::is_trivially_copyable_v<T> && kInside * sizeof(T) >= sizeof(T*));

 public:
  SmallList() = default;
  explicit SmallList(std::span<const T> values) { assign(values); }
  SmallList(const SmallList& other) { assign(other.raw()); }
  SmallList(SmallList&& other) noexcept { swap(other); }
  SmallList& operator=(const SmallList& other) {
    if (this != &other) release(), assign(other.raw());
    return *this;
  }
  SmallList& operator=(SmallList&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SmallList() { release(); }

  size_t size() const { return static_cast<size_t>(size_); }
  bool empty() const { return size_ == 0; }
  // As the protocol's messages have them.
  std::span<const T> raw() const { return {size_ > kInside ? heap() : small_, size()}; }
  std::vector<T> to_vector() const { return {raw().begin(), raw().end()}; }
  bool operator==(const SmallList& other) const { return std::ranges::equal(raw(), other.raw()); }

 protected:
  // Of an empty one; where the values go.
  T* resize(int32_t size) {
    size_ = size;
    if (size <= kInside) return small_;
    T* to = new T[static_cast<size_t>(size)];
    std::memcpy(static_cast<void*>(small_), &to, sizeof to);
    return to;
  }

 private:
  T* heap() const {
    T* p;
    std::memcpy(&p, static_cast<const void*>(small_), sizeof p);
    return p;
  }
  void assign(std::span<const T> values) {
    std::ranges::copy(values, resize(static_cast<int32_t>(values.size())));
  }
  void release() {
    if (size_ > kInside) delete[] heap();
    size_ = 0;
  }
  void swap(SmallList& other) {
    std::swap(size_, other.size_);
    std::swap(small_, other.small_);
  }

  alignas(8) int32_t size_ = 0;
  T small_[kInside] = {};  // or, at its beginning, the address
};

}  // namespace moldau
