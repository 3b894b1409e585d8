// BatchBuilder: makes one record batch. For the metadata log, the coordinators' topics, control batches,
// compaction and tests; batches of clients are appended as they came. Writes exactly the bytes that Kafka's
// builder writes, up to what an encoder is free to choose.
//
//   BatchBuilder b({.base_offset = end, .leader_epoch = epoch});
//   b.add(now, key, value);
//   std::string batch = b.build();
#pragma once
#include <optional>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/time.h"
#include "base/writer.h"
#include "record/batch_header.h"
#include "record/compressor.h"
#include "record/record.h"

namespace moldau {

struct BatchOptions {
  Offset base_offset{0};
  LeaderEpoch leader_epoch = kNoLeaderEpoch;
  Codec codec = Codec::kNone;
  std::optional<int> level;  // none: the codec's preset
  TimestampType timestamp_type = TimestampType::kCreateTime;
  WallMs append_time = -1;  // with LogAppendTime: of all records, becomes the max timestamp
  ProducerId producer_id = kNoProducerId;
  ProducerEpoch producer_epoch = kNoProducerEpoch;
  int32_t base_sequence = -1;
  bool transactional = false;
  bool control = false;
  std::optional<WallMs> delete_horizon{};  // takes the base timestamp's place (KIP-534)
};

// Bytes of one record in a batch, its length field included. Sizes below 0: null.
size_t record_size(int32_t offset_delta, int64_t timestamp_delta, int64_t key_size, int64_t value_size,
                   std::span<const HeaderView> headers = {});
// The most that such a record can take in any uncompressed batch.
size_t record_size_bound(int64_t key_size, int64_t value_size, std::span<const HeaderView> headers = {});

// A batch without records whose offsets stay taken: what compaction leaves of a producer's last batch.
std::string empty_batch(const BatchOptions& options, Offset last_offset, WallMs max_timestamp);

class BatchBuilder {
 public:
  explicit BatchBuilder(const BatchOptions& options);

  // At the next offset.
  void add(WallMs timestamp, std::optional<Bytes> key, std::optional<Bytes> value,
           std::span<const HeaderView> headers = {});
  // At an offset that is larger than the one before and less than 2^31 from the base.
  void add_at(Offset offset, WallMs timestamp, std::optional<Bytes> key, std::optional<Bytes> value,
              std::span<const HeaderView> headers = {});
  // A record of another batch, at its own offset.
  void copy(const RecordView& record);
  // The batch ends at this offset, though the record there is gone. At least the last record's.
  void end_at(Offset last_offset);

  bool empty() const { return count_ == 0; }
  int32_t record_count() const { return count_; }
  Offset next_offset() const { return options_.base_offset + next_delta_; }
  size_t size() const { return out_.size(); }  // of the batch without compression, header included

  // Ends the batch; the builder is spent. At least one record must be in it.
  std::string build();
  std::string build(Compressor& compressor);  // lends contexts that are there already

 private:
  void begin_record(Offset offset, WallMs timestamp, size_t contents);
  void put_bytes(std::optional<Bytes> bytes);

  BatchOptions options_;
  Writer out_;  // header's place, then records
  int32_t count_ = 0;
  int64_t next_delta_ = 0;
  WallMs base_timestamp_ = -1;
  WallMs max_timestamp_ = -1;
};

}  // namespace moldau
