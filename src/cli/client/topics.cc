#include "cli/client/topics.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "protocol/messages/list_offsets.h"

namespace moldau::cli {
namespace {

PartitionInfo partition_info(const protocol::MetadataResponse::MetadataResponsePartition& from) {
  PartitionInfo out;
  out.index = from.partition_index;
  out.leader = BrokerId(from.leader_id);
  out.leader_epoch = from.leader_epoch;
  out.replicas = from.replica_nodes;
  out.isr = from.isr_nodes;
  out.offline = from.offline_replicas;
  return out;
}

Result<std::vector<TopicInfo>> topics(Cluster& cluster, protocol::MetadataRequest request) {
  TRY_ASSIGN(const auto reply, cluster.metadata(std::move(request)));
  std::vector<TopicInfo> out;
  for (const auto& topic : reply->topics) {
    TopicInfo info;
    info.name = std::string(topic.name.value_or(""));
    info.id = topic.topic_id;
    info.internal = topic.is_internal;
    info.error = static_cast<ErrorCode>(topic.error_code);
    for (const auto& partition : topic.partitions) info.partitions.push_back(partition_info(partition));
    std::ranges::sort(info.partitions, {}, &PartitionInfo::index);
    out.push_back(std::move(info));
  }
  std::ranges::sort(out, {}, &TopicInfo::name);
  return out;
}

}  // namespace

const PartitionInfo* TopicInfo::partition(int32_t index) const {
  const auto at = std::ranges::lower_bound(partitions, index, {}, &PartitionInfo::index);
  return at == partitions.end() || at->index != index ? nullptr : &*at;
}

Result<std::vector<TopicInfo>> all_topics(Cluster& cluster) {
  protocol::MetadataRequest request;
  request.topics.reset();
  return topics(cluster, std::move(request));
}

Result<std::vector<TopicInfo>> named_topics(Cluster& cluster, std::span<const std::string> names) {
  protocol::MetadataRequest request;
  for (const std::string& name : names) request.topics->emplace_back().name = name;
  return topics(cluster, std::move(request));
}

Error no_topic(const TopicInfo& topic) {
  if (topic.error == ErrorCode::kUnknownTopicOrPartition) {
    return {topic.error, fmt::format("topic {} does not exist; `moldau topic create {}` makes it", topic.name,
                                     topic.name)};
  }
  return answer_error(fmt::format("topic {}", topic.name), static_cast<int16_t>(topic.error));
}

Result<TopicInfo> existing_topic(Cluster& cluster, const std::string& name) {
  for (Retry retry(cluster);;) {
    TRY_ASSIGN(auto found, named_topics(cluster, std::span(&name, 1)));
    if (found.empty())
      return fail(ErrorCode::kUnknownServerError, fmt::format("no answer about topic {}", name));
    if (found.front().error == ErrorCode::kNone) return std::move(found.front());
    const ErrorCode error = found.front().error;
    if (error == ErrorCode::kUnknownTopicOrPartition || !retry.again(error))
      return std::unexpected(no_topic(found.front()));
  }
}

// ---- offsets

namespace {

using OffsetAsk = Cluster::Ask<protocol::ListOffsetsRequest>;

class OffsetSearch {
 public:
  OffsetSearch(Cluster& cluster, std::span<const OffsetQuery> queries, bool read_committed)
      : cluster_(cluster), queries_(queries), read_committed_(read_committed), found_(queries.size()) {
    for (size_t i = 0; i < queries.size(); ++i)
      open_.emplace(Key{queries[i].timestamp, queries[i].topic, queries[i].partition}, i);
  }

  // Asks each leader for what is still open.
  Status round() {
    TRY_ASSIGN(const auto topics, named_topics(cluster_, names()));
    const std::vector<OffsetAsk> asks = assign(topics);
    auto answers = cluster_.ask_each(std::span(asks));
    for (size_t i = 0; i < answers.size(); ++i) {
      if (answers[i])
        take(answers[i]->message, asks[i].request.topics.front().partitions.front().timestamp);
      else if (answers[i].error().code != ErrorCode::kBrokerNotAvailable)
        return std::unexpected(std::move(answers[i].error()));
    }
    std::erase_if(open_, [this](const auto& entry) { return !passes(found_[entry.second].error); });
    return {};
  }
  // Of one that may pass; NONE: nothing is open.
  ErrorCode error() const { return open_.empty() ? ErrorCode::kNone : found_[open_.begin()->second].error; }
  std::vector<FoundOffset> found() && { return std::move(found_); }

 private:
  using Key = std::tuple<int64_t, std::string_view, int32_t>;

  static bool passes(ErrorCode error) {
    return is_retriable(error) && error != ErrorCode::kUnknownTopicOrPartition &&
           error != ErrorCode::kLeaderNotAvailable;
  }

  std::vector<std::string> names() const {
    std::set<std::string> out;
    for (const auto& [key, index] : open_) out.insert(queries_[index].topic);
    return {out.begin(), out.end()};
  }

  // A request may name each partition once, hence one for each timestamp and leader.
  std::vector<OffsetAsk> assign(const std::vector<TopicInfo>& topics) {
    std::map<std::pair<int64_t, BrokerId>, OffsetAsk> asks;
    for (const auto& [key, index] : open_) {
      const auto& [timestamp, name, number] = key;
      const auto topic = std::ranges::find(topics, name, &TopicInfo::name);
      const PartitionInfo* partition = topic == topics.end() ? nullptr : topic->partition(number);
      ErrorCode& error = found_[index].error;
      error = !partition                 ? ErrorCode::kUnknownTopicOrPartition
              : !partition->has_leader() ? ErrorCode::kLeaderNotAvailable
                                         : ErrorCode::kNotLeaderOrFollower;  // until there is an answer
      if (error != ErrorCode::kNotLeaderOrFollower) continue;
      OffsetAsk& ask = asks[{timestamp, partition->leader}];
      ask.broker = partition->leader;
      ask.request.replica_id = -1;
      ask.request.isolation_level = read_committed_ ? 1 : 0;
      ask.request.timeout_ms = cluster_.timeout_ms();
      auto& parts = ask.request.topics;
      if (parts.empty() || parts.back().name != name) parts.emplace_back().name = name;
      parts.back().partitions.push_back({number, -1, timestamp});
    }
    std::vector<OffsetAsk> out;
    for (auto& [key, ask] : asks) out.push_back(std::move(ask));
    return out;
  }

  void take(const protocol::ListOffsetsResponse& response, int64_t timestamp) {
    for (const auto& topic : response.topics) {
      for (const auto& partition : topic.partitions) {
        const auto at = open_.find(Key{timestamp, topic.name, partition.partition_index});
        if (at == open_.end()) continue;
        found_[at->second] = {static_cast<ErrorCode>(partition.error_code), partition.offset,
                              partition.timestamp, partition.leader_epoch};
      }
    }
  }

  Cluster& cluster_;
  std::span<const OffsetQuery> queries_;
  const bool read_committed_;
  std::vector<FoundOffset> found_;
  std::map<Key, size_t> open_;  // indexes of queries
};

}  // namespace

Result<std::vector<FoundOffset>> find_offsets(Cluster& cluster, std::span<const OffsetQuery> queries,
                                              bool read_committed) {
  OffsetSearch search(cluster, queries, read_committed);
  if (queries.empty()) return std::move(search).found();
  for (Retry retry(cluster);;) {
    TRY(search.round());
    if (search.error() == ErrorCode::kNone || !retry.again(search.error())) return std::move(search).found();
  }
}

}  // namespace moldau::cli
