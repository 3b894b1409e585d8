// Sender: sends records to the partitions of one topic, a round at a time, and sends again what failed in a way that
// passes. Idempotent where the brokers let it be, so that nothing is in the topic twice.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/client/record_text.h"
#include "cli/client/topics.h"
#include "record/batch_builder.h"
#include "record/compressor.h"

namespace moldau::cli {

struct SenderOptions {
  int16_t acks = -1;
  Codec codec = Codec::kNone;
};

class Sender {
 public:
  struct Sent {  // to one partition
    int64_t records = 0;
    int64_t first_offset = -1, last_offset = -1;  // -1: with acks=0 nobody knows
  };

  Sender(Cluster& cluster, TopicInfo topic, SenderOptions options);

  Status begin();  // gets a producer id
  // Where a record without partition goes: by its key, else to the same as the others of this round.
  int32_t choose_partition(const RecordToSend& record) const;
  bool has_partition(int32_t index) const { return topic_.partition(index) != nullptr; }
  void add(const RecordToSend& record, int32_t partition, WallMs now);
  size_t bytes() const { return bytes_; }  // of what waits
  // Sends what waits; returns when all of it is acknowledged. Error: a sentence; the rest is given up.
  Status flush();
  const std::map<int32_t, Sent>& sent() const { return sent_; }

 private:
  struct Batch {
    std::unique_ptr<BatchBuilder> builder;
    std::string bytes;
    int32_t records = 0;
  };
  struct Round;

  Status send_round(std::map<int32_t, Batch>& batches, ErrorCode& passes);
  Status take(std::map<int32_t, Batch>& batches, int32_t partition, ErrorCode error, int64_t base_offset,
              const std::string& message, ErrorCode& passes);
  void acknowledged(std::map<int32_t, Batch>& batches, int32_t partition, int64_t base_offset);

  Cluster& cluster_;
  TopicInfo topic_;
  SenderOptions options_;
  ProducerId producer_id_ = kNoProducerId;
  ProducerEpoch producer_epoch_ = kNoProducerEpoch;
  std::map<int32_t, int32_t> next_sequence_;
  std::map<int32_t, Batch> waiting_;  // by partition
  std::map<int32_t, Sent> sent_;
  size_t bytes_ = 0;
  size_t round_ = 0;
  Compressor compressor_;
};

}  // namespace moldau::cli
