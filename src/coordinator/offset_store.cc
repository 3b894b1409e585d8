#include "coordinator/offset_store.h"

#include <utility>

namespace moldau {
namespace {

const CommittedOffset* find_in(const OffsetStore::Groups& groups, std::string_view group,
                               std::string_view topic, int32_t partition) {
  const auto of_group = groups.find(group);
  if (of_group == groups.end()) return nullptr;
  const auto of_topic = of_group->second.find(topic);
  if (of_topic == of_group->second.end()) return nullptr;
  const auto at = of_topic->second.find(partition);
  return at == of_topic->second.end() ? nullptr : &at->second;
}

// Whether there was such an offset. Leaves no empty maps behind.
bool erase_in(OffsetStore::Groups& groups, const protocol::OffsetCommitKey& key) {
  const auto of_group = groups.find(key.group);
  if (of_group == groups.end()) return false;
  const auto of_topic = of_group->second.find(key.topic);
  if (of_topic == of_group->second.end()) return false;
  const bool erased = of_topic->second.erase(key.partition) > 0;
  if (of_topic->second.empty()) of_group->second.erase(of_topic);
  if (of_group->second.empty()) groups.erase(of_group);
  return erased;
}

}  // namespace

const OffsetStore::Topics* OffsetStore::of_group(std::string_view group) const {
  const auto at = committed_.find(group);
  return at == committed_.end() ? nullptr : &at->second;
}

const CommittedOffset* OffsetStore::find(std::string_view group, std::string_view topic,
                                         int32_t partition) const {
  return find_in(committed_, group, topic, partition);
}

bool OffsetStore::is_pending(std::string_view group, std::string_view topic, int32_t partition) const {
  for (const auto& [producer, groups] : pending_)
    if (find_in(groups, group, topic, partition)) return true;
  return false;
}

bool OffsetStore::has_pending(std::string_view group) const {
  for (const auto& [producer, groups] : pending_)
    if (groups.contains(group)) return true;
  return false;
}

void OffsetStore::put(const protocol::OffsetCommitKey& key, const protocol::OffsetCommitValue& value,
                      Offset record, ProducerId producer) {
  CommittedOffset offset;
  offset.offset = value.offset;
  offset.leader_epoch = value.leader_epoch;
  offset.metadata = value.metadata;
  offset.committed_ms = value.commit_timestamp;
  offset.expires_ms = value.expire_timestamp;
  offset.topic_id = value.topic_id;
  offset.record = record;
  const std::string group(key.group), topic(key.topic);
  if (producer == kNoProducerId)
    store(group, topic, key.partition, std::move(offset));
  else
    pending_[producer][group][topic].insert_or_assign(key.partition, std::move(offset));
}

void OffsetStore::store(const std::string& group, const std::string& topic, int32_t partition,
                        CommittedOffset offset) {
  if (committed_[group][topic].insert_or_assign(partition, std::move(offset)).second) ++size_;
}

void OffsetStore::remove(const protocol::OffsetCommitKey& key) {
  if (erase_in(committed_, key)) --size_;
  for (auto& [producer, groups] : pending_) erase_in(groups, key);
}

void OffsetStore::end_transaction(ProducerId producer, bool committed) {
  auto pending = pending_.extract(producer);
  if (pending.empty() || !committed) return;
  for (auto& [group, topics] : pending.mapped()) {
    for (auto& [topic, partitions] : topics) {
      for (auto& [partition, offset] : partitions) {
        const CommittedOffset* now = find(group, topic, partition);
        if (!now || now->record < offset.record) store(group, topic, partition, std::move(offset));
      }
    }
  }
}

}  // namespace moldau
