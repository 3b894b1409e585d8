// History: what producers were promised and what consumers saw, of one partition; complains as soon as the two disagree.
// Every record's value is a number that is used once.
//
// Checks, by name
//   lost-write            an acknowledged value isn't at the offset that it was acknowledged with, and something else,
//                         or a later record, is
//   inconsistent-offset   one offset was seen with two values
//   duplicate             one value was seen at two offsets
//   phantom               a value was seen that nobody sent
//   gap                   offsets that were read aren't contiguous
//   refused               an error that no client should ever get from a healthy log
//   nonmonotonic-send     a producer's later record has a lower offset
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace moldau::sim {

class History {
 public:
  // The next value to send, by this producer.
  int64_t send(int producer);
  void acknowledged(int64_t value, int64_t offset);
  // A consumer read the record; `expected` is the offset that must come next, or -1.
  void seen(int64_t value, int64_t offset, int64_t expected);
  // A client got an error that it can't retry; `producer` is -1 for a consumer.
  void refused(int producer, std::string_view error);
  // A reader that began at 0 has come to `end`: nothing that was acknowledged may be beyond, or missing.
  void complete(int64_t end);

  int64_t sent() const { return static_cast<int64_t>(sent_.size()); }
  int64_t acknowledged_count() const { return acknowledged_; }
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  struct Value {
    int producer = 0;
    int64_t acknowledged_at = -1;
    int64_t seen_at = -1;
  };
  void complain(std::string violation);

  std::vector<Value> sent_;         // by value
  std::map<int64_t, int64_t> at_;   // offset -> value, as seen
  std::map<int, int64_t> last_of_;  // producer -> highest offset acknowledged
  int64_t acknowledged_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace moldau::sim
