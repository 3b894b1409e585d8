// ReplicaList: a few broker ids in order: a partition's replicas, its ISR, its eligible leaders. 16 bytes for three or
// fewer. DirectoryList: where they lie, one each.
//
// Ids may be negative: a placeholder for a replica that no broker holds yet (KIP-409).
#pragma once
#include <initializer_list>

#include "base/ids.h"
#include "metadata/small_list.h"

namespace moldau {

class ReplicaList : public SmallList<int32_t, 3> {
 public:
  ReplicaList() = default;
  ReplicaList(std::initializer_list<int32_t> ids)
      : SmallList(std::span<const int32_t>(ids.begin(), ids.size())) {}
  explicit ReplicaList(std::span<const int32_t> ids) : SmallList(ids) {}
  explicit ReplicaList(const std::vector<int32_t>& ids) : SmallList(std::span(ids)) {}

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
};

class DirectoryList : public SmallList<Uuid, 3> {
 public:
  DirectoryList() = default;
  explicit DirectoryList(const std::vector<Uuid>& ids) : SmallList(std::span(ids)) {}

  const Uuid& operator[](size_t i) const { return raw()[i]; }
};

static_assert(sizeof(ReplicaList) == 16);
static_assert(sizeof(DirectoryList) == 56);

}  // namespace moldau
