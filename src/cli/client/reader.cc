#include "cli/client/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "protocol/messages/fetch.h"
#include "record/batch_walk.h"

namespace moldau::cli {
namespace {

constexpr protocol::VersionRange kFetch{4, 12};  // 13 names topics by id
constexpr int32_t kRoundBytes = 8 << 20;         // of each leader
constexpr int32_t kPartitionBytes = 1 << 20;

// Which transactional batches of a fetch belong to transactions that were aborted.
class AbortedFilter {
 public:
  explicit AbortedFilter(const protocol::FetchResponse::PartitionData& data) {
    if (data.aborted_transactions) rest_ = *data.aborted_transactions;
    std::ranges::sort(rest_, {}, &protocol::FetchResponse::AbortedTransaction::first_offset);
  }
  bool drops(const BatchHeader& batch) {
    while (next_ < rest_.size() && rest_[next_].first_offset <= batch.last_offset().value)
      aborted_.insert(rest_[next_++].producer_id);
    if (batch.is_control()) {
      if (!is_commit(batch)) aborted_.erase(batch.producer_id().value);
      return true;
    }
    return batch.is_transactional() && aborted_.contains(batch.producer_id().value);
  }

 private:
  static bool is_commit(const BatchHeader& batch) {
    bool commit = false;
    RecordReader reader(RecordLimits::stored());
    reader.for_each(batch, [&](const RecordView& record) {
      // The key of a control record: int16 version, int16 type; 0 is abort, 1 is commit.
      commit = record.key && record.key->size() >= 4 && load_be<int16_t>(record.key->data() + 2) == 1;
      return Visit::kStop;
    });
    return commit;
  }

  std::vector<protocol::FetchResponse::AbortedTransaction> rest_;
  size_t next_ = 0;
  std::set<int64_t> aborted_;
};

}  // namespace

Reader::Reader(Cluster& cluster, ReaderOptions options, std::map<TopicPartitionName, Position> positions)
    : cluster_(cluster), options_(options), positions_(std::move(positions)) {
  std::erase_if(positions_, [](const auto& p) { return p.second.stop && p.second.next >= *p.second.stop; });
}

Status Reader::find_leaders() {
  std::set<std::string> names;
  for (const auto& [name, position] : positions_) names.insert(name.topic);
  const std::vector<std::string> list(names.begin(), names.end());
  TRY_ASSIGN(const auto topics, named_topics(cluster_, list));
  leaders_.clear();
  for (const TopicInfo& topic : topics) {
    if (topic.error == ErrorCode::kUnknownTopicOrPartition) return std::unexpected(no_topic(topic));
    for (const PartitionInfo& partition : topic.partitions)
      if (partition.has_leader()) leaders_[{topic.name, partition.index}] = partition.leader;
  }
  return {};
}

std::vector<Reader::Ask> Reader::requests() const {
  std::map<BrokerId, Ask> by_leader;
  for (const auto& [name, position] : positions_) {
    const auto leader = leaders_.find(name);
    if (leader == leaders_.end()) continue;
    Ask& ask = by_leader[leader->second];
    ask.broker = leader->second;
    auto& topics = ask.request.topics;
    if (topics.empty() || topics.back().topic != name.topic) topics.emplace_back().topic = name.topic;
    auto& partition = topics.back().partitions.emplace_back();
    partition.partition = name.partition;
    partition.fetch_offset = position.next;
    partition.partition_max_bytes = kPartitionBytes;
  }
  std::vector<Ask> out;
  for (auto& [leader, ask] : by_leader) {
    // All answers are waited for, so one leader without news must not hold up another's for long.
    ask.request.max_wait_ms =
        by_leader.size() > 1 ? std::min(options_.max_wait_ms, 100) : options_.max_wait_ms;
    ask.request.min_bytes = 1;
    ask.request.max_bytes = kRoundBytes;
    ask.request.isolation_level = options_.read_committed ? 1 : 0;
    out.push_back(std::move(ask));
  }
  return out;
}

Status Reader::poll(const Each& each, const std::function<void(const std::string&)>& warn) {
  if (leaders_.empty()) TRY(find_leaders());
  passes_.reset();
  const std::vector<Ask> asks = requests();
  if (asks.empty()) passes_ = ErrorCode::kLeaderNotAvailable;
  for (auto& reply : cluster_.ask_each(std::span(asks), kFetch)) {
    if (reply) {
      TRY(take(reply->message, each, warn));
    } else if (reply.error().code == ErrorCode::kBrokerNotAvailable) {
      passes_ = ErrorCode::kNotLeaderOrFollower;  // another may lead soon
    } else {
      return std::unexpected(reply.error());
    }
    if (stopped_) return {};
  }
  if (!passes_) {
    retry_.reset();
    return {};
  }
  if (!retry_) retry_.emplace(cluster_);
  if (!retry_->again(*passes_))
    return std::unexpected(answer_error(positions_.begin()->first.topic, static_cast<int16_t>(*passes_),
                                        "and it didn't pass within --timeout"));
  return find_leaders();
}

Status Reader::take(const protocol::FetchResponse& response, const Each& each,
                    const std::function<void(const std::string&)>& warn) {
  if (response.error_code != 0) return std::unexpected(answer_error("fetch", response.error_code));
  for (const auto& topic : response.responses) {
    for (const Data& data : topic.partitions) {
      const TopicPartitionName name{std::string(topic.topic), data.partition_index};
      if (!positions_.contains(name)) continue;
      if (data.error_code != 0)
        TRY(take_error(name, static_cast<ErrorCode>(data.error_code), warn));
      else
        TRY(take_partition(name, data, each));
      if (stopped_) return {};
    }
  }
  return {};
}

Status Reader::take_error(const TopicPartitionName& name, ErrorCode error,
                          const std::function<void(const std::string&)>& warn) {
  const std::string text = fmt::format("{}-{}", name.topic, name.partition);
  if (error == ErrorCode::kOffsetOutOfRange) {
    const OffsetQuery query{name.topic, name.partition, kEarliest};
    TRY_ASSIGN(const auto found, find_offsets(cluster_, std::span(&query, 1)));
    Position& position = positions_[name];
    const std::optional<int64_t> first = found.front().known();
    if (!first || position.next >= *first)
      return fail(error, fmt::format("{}: offset {} is not there; `moldau topic describe {}` shows what is",
                                     text, position.next, name.topic));
    warn(fmt::format("{}: records {} to {} are deleted, going on at {}", text, position.next, *first - 1,
                     *first));
    position.next = *first;
    return {};
  }
  if (!is_retriable(error)) return std::unexpected(answer_error(text, static_cast<int16_t>(error)));
  passes_ = error;
  return {};
}

Status Reader::take_partition(const TopicPartitionName& name, const Data& data, const Each& each) {
  Position& position = positions_[name];
  AbortedFilter aborted(data);
  const std::string text = fmt::format("{}-{}", name.topic, name.partition);
  BatchWalk walk(data.records ? data.records->bytes() : Bytes{});
  for (NextBatch next = walk.next(); next.what == BatchFound::kBatch && !stopped_; next = walk.next()) {
    const BatchHeader batch = next.header();
    if (batch.next_offset().value <= position.next) continue;
    const bool dropped = options_.read_committed ? aborted.drops(batch) : batch.is_control();
    if (!dropped) {
      const auto read = records_.for_each(batch, [&](const RecordView& record) {
        if (record.offset.value < position.next) return Visit::kNext;
        if (position.stop && record.offset.value >= *position.stop) return Visit::kStop;
        position.next = record.offset.value + 1;
        stopped_ = !each(name.topic, name.partition, record);
        return stopped_ ? Visit::kStop : Visit::kNext;
      });
      if (!read.ok())
        return fail(ErrorCode::kCorruptMessage,
                    fmt::format("{}: the batch at offset {} can't be read: {}", text,
                                batch.base_offset().value, to_error(read).message));
    }
    if (!stopped_) position.next = std::max(position.next, batch.next_offset().value);
  }
  if (const NextBatch next = walk.next();
      !stopped_ && (next.what == BatchFound::kCorrupt || next.what == BatchFound::kOldMagic))
    return fail(ErrorCode::kCorruptMessage,
                fmt::format("{} at offset {}: {}", text, position.next, describe(next)));
  if (position.stop && position.next >= *position.stop) positions_.erase(name);
  return {};
}

}  // namespace moldau::cli
