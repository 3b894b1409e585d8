// GroupHistory: what the members of one group were promised; complains as soon as something else is true.
//
// Checks, by name
//   lost-commit        a member that owns a partition is told an offset below one that was acknowledged
//   two-owners         a commit was taken though a later offset had been acknowledged to another member before it was sent
//   older-generation   a generation that some member's assignment was stored for comes again, or an older one
//   refused            an error that no member should ever get
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace moldau::sim {

class GroupHistory {
 public:
  void committed(int32_t partition, int64_t offset, int64_t acknowledged_before);
  void fetched(int32_t partition, int64_t offset, int64_t acknowledged_before);
  void synced(int32_t generation) { generation_ = std::max(generation_, generation); }
  void joined(int32_t generation);
  void refused(std::string_view error) { complain("refused: " + std::string(error)); }

  int64_t acknowledged(int32_t partition) const;  // the highest offset; -1: none
  int64_t commits() const { return commits_; }
  int32_t generation() const { return generation_; }
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  void complain(std::string violation) {
    if (violations_.size() < 20) violations_.push_back(std::move(violation));
  }

  std::map<int32_t, int64_t> acknowledged_;
  int64_t commits_ = 0;
  int32_t generation_ = 0;  // the highest that a member got its assignment in
  std::vector<std::string> violations_;
};

}  // namespace moldau::sim
