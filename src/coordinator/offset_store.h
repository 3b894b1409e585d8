// OffsetStore: the offsets that groups have committed. Changed by replay only.
//
// Offsets that were committed within a transaction wait, by producer, for the transaction's end: a commit makes them count,
// an abort forgets them. We don't write such records yet; a directory of Apache Kafka's may have them.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/time.h"
#include "base/uuid.h"
#include "protocol/coordinator/offset_commit.h"

namespace moldau {

struct CommittedOffset {
  int64_t offset = -1;
  int32_t leader_epoch = -1;
  std::string metadata;
  WallMs committed_ms = -1;
  WallMs expires_ms = -1;  // -1: when the retention says so
  Uuid topic_id;           // of the topic when it was committed; zero: unknown
  Offset record{-1};       // where in the log the commit is: of two, the later one counts

  bool operator==(const CommittedOffset&) const = default;
};

class OffsetStore {
 public:
  using Partitions = std::map<int32_t, CommittedOffset>;
  using Topics = std::map<std::string, Partitions, std::less<>>;
  using Groups = std::map<std::string, Topics, std::less<>>;

  const Groups& groups() const { return committed_; }
  const Topics* of_group(std::string_view group) const;  // null: none
  const CommittedOffset* find(std::string_view group, std::string_view topic, int32_t partition) const;
  // Whether a transaction that is open has an offset for it.
  bool is_pending(std::string_view group, std::string_view topic, int32_t partition) const;
  bool has_pending(std::string_view group) const;
  // Calls visit(topic, partition) for what only open transactions have of the group, each once.
  template <class Visit>
  void each_pending(std::string_view group, Visit&& visit) const {
    std::set<std::pair<std::string_view, int32_t>> seen;
    for (const auto& [producer, groups] : pending_) {
      const auto of_group = groups.find(group);
      if (of_group == groups.end()) continue;
      for (const auto& [topic, partitions] : of_group->second) {
        for (const auto& [partition, offset] : partitions)
          if (seen.emplace(topic, partition).second) visit(std::string_view(topic), partition);
      }
    }
  }
  size_t size() const { return size_; }  // committed offsets

  // ---- replay; `producer` is kNoProducerId outside of transactions
  void put(const protocol::OffsetCommitKey& key, const protocol::OffsetCommitValue& value, Offset record,
           ProducerId producer);
  void remove(const protocol::OffsetCommitKey& key);
  void end_transaction(ProducerId producer, bool committed);

 private:
  void store(const std::string& group, const std::string& topic, int32_t partition, CommittedOffset offset);

  Groups committed_;
  std::map<ProducerId, Groups> pending_;
  size_t size_ = 0;
};

}  // namespace moldau
