// ReplicaList: a few broker ids in order: a partition's replicas, its ISR, its eligible leaders. 16 bytes;
// three ids fit inside, more go to the heap, so that a partition with the usual replication factor costs no
// allocation.
//
// Ids may be negative: a placeholder for a replica that no broker holds yet (KIP-409).
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <vector>

#include "base/ids.h"

namespace moldau {

class ReplicaList {
 public:
  ReplicaList() = default;
  ReplicaList(std::initializer_list<int32_t> ids) { assign({ids.begin(), ids.size()}); }
  explicit ReplicaList(std::span<const int32_t> ids) { assign(ids); }
  explicit ReplicaList(const std::vector<int32_t>& ids) { assign(ids); }
  ReplicaList(const ReplicaList& other) { assign(other.raw()); }
  ReplicaList(ReplicaList&& other) noexcept { swap(other); }
  ReplicaList& operator=(const ReplicaList& other) {
    if (this != &other) release(), assign(other.raw());
    return *this;
  }
  ReplicaList& operator=(ReplicaList&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ReplicaList() { release(); }

  size_t size() const { return static_cast<size_t>(size_); }
  bool empty() const { return size_ == 0; }
  // The ids as the protocol's messages have them.
  std::span<const int32_t> raw() const { return {size_ > kInside ? heap() : small_, size()}; }
  std::vector<int32_t> to_vector() const { return {raw().begin(), raw().end()}; }
  BrokerId operator[](size_t i) const { return BrokerId(raw()[i]); }
  bool contains(BrokerId id) const { return std::ranges::find(raw(), id.value) != raw().end(); }
  // Those that keep(id) is true for, in their order.
  template <class Keep>
  ReplicaList where(Keep&& keep) const {
    ReplicaList kept;
    const auto count = static_cast<int32_t>(std::ranges::count_if(raw(), keep));
    std::ranges::copy_if(raw(), kept.resize(count), keep);
    return kept;
  }
  ReplicaList without(BrokerId id) const {
    return where([id](int32_t other) { return other != id.value; });
  }
  bool operator==(const ReplicaList& other) const { return std::ranges::equal(raw(), other.raw()); }

 private:
  static constexpr int32_t kInside = 3;

  int32_t* heap() const {
    int32_t* p;
    std::memcpy(&p, &small_[1], sizeof p);
    return p;
  }
  void assign(std::span<const int32_t> ids) {
    std::ranges::copy(ids, resize(static_cast<int32_t>(ids.size())));
  }
  // Of an empty one; where the ids go.
  int32_t* resize(int32_t size) {
    size_ = size;
    if (size <= kInside) return small_;
    int32_t* to = new int32_t[static_cast<size_t>(size)];
    std::memcpy(&small_[1], &to, sizeof to);
    return to;
  }
  void release() {
    if (size_ > kInside) delete[] heap();
    size_ = 0;
  }
  void swap(ReplicaList& other) {
    std::swap(size_, other.size_);
    std::swap(small_, other.small_);
  }

  alignas(8) int32_t size_ = 0;
  int32_t small_[kInside] = {};  // or, in the last two, the address
};

static_assert(sizeof(ReplicaList) == 16);

}  // namespace moldau
