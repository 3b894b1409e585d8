// Reader: fetches records of assigned partitions from their leaders, round by round, without a group.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/client/groups.h"
#include "cli/client/topics.h"
#include "protocol/messages/fetch.h"
#include "record/record_reader.h"

namespace moldau::cli {

struct ReaderOptions {
  bool read_committed = false;
  int32_t max_wait_ms = 500;
};

class Reader {
 public:
  struct Position {
    int64_t next = 0;
    std::optional<int64_t> stop;  // reading ends before this offset
  };
  // false: enough; the rest of the round is dropped.
  using Each = std::function<bool(const std::string& topic, int32_t partition, const RecordView& record)>;

  Reader(Cluster& cluster, ReaderOptions options, std::map<TopicPartitionName, Position> positions);

  bool finished() const { return positions_.empty(); }  // every partition has reached its stop
  // One fetch from each leader. Leaders that move are followed until the timeout is over. Where the log has been cut
  // below a position, reading goes on at its start, and `warn` is told.
  Status poll(const Each& each, const std::function<void(const std::string&)>& warn);

 private:
  using Ask = Cluster::Ask<protocol::FetchRequest>;
  using Data = protocol::FetchResponse::PartitionData;

  Status find_leaders();
  std::vector<Ask> requests() const;
  Status take(const protocol::FetchResponse& response, const Each& each,
              const std::function<void(const std::string&)>& warn);
  Status take_partition(const TopicPartitionName& name, const Data& data, const Each& each);
  Status take_error(const TopicPartitionName& name, ErrorCode error,
                    const std::function<void(const std::string&)>& warn);

  Cluster& cluster_;
  ReaderOptions options_;
  std::map<TopicPartitionName, Position> positions_;
  std::map<TopicPartitionName, BrokerId> leaders_;
  std::optional<ErrorCode> passes_;  // the last round met this, and nothing else
  std::optional<Retry> retry_;       // while rounds fail
  RecordReader records_{RecordLimits::stored()};
  bool stopped_ = false;
};

}  // namespace moldau::cli
