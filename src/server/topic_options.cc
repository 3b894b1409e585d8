#include "server/topic_options.h"

#include <algorithm>

#include "config/resolution.h"
#include "config/value.h"
#include "ports/configs.h"

namespace moldau::server {
namespace {

// A topic's values in force, by key.
class TopicValues {
 public:
  explicit TopicValues(std::map<std::string_view, std::string> values) : values_(std::move(values)) {}

  std::string_view text(std::string_view key) const {
    const auto at = values_.find(key);
    return at == values_.end() ? std::string_view{} : at->second;
  }
  int64_t integer(std::string_view key) const { return config::parse_integer(text(key)).value_or(0); }
  double number(std::string_view key) const { return config::parse_number(text(key)).value_or(0); }

 private:
  std::map<std::string_view, std::string> values_;
};

LogOptions log_options(const config::BrokerValues& broker, const TopicValues& values) {
  LogOptions log;
  const int64_t internal_bytes = values.integer("internal.segment.bytes");  // Kafka's own door for tests
  log.segment_bytes =
      static_cast<int32_t>(internal_bytes > 0 ? internal_bytes : values.integer("segment.bytes"));
  log.segment_ms = values.integer("segment.ms");
  log.segment_jitter_ms = values.integer("segment.jitter.ms");
  log.segment_index_bytes = static_cast<int32_t>(values.integer("segment.index.bytes"));
  log.index_interval_bytes = static_cast<int32_t>(values.integer("index.interval.bytes"));
  log.retention_ms = values.integer("retention.ms");
  log.retention_bytes = values.integer("retention.bytes");
  const auto policies = config::split_list(values.text("cleanup.policy"));
  log.cleanup_delete = std::ranges::find(policies, "delete") != policies.end();
  log.cleanup_compact = std::ranges::find(policies, "compact") != policies.end();
  log.min_cleanable_dirty_ratio = values.number("min.cleanable.dirty.ratio");
  log.delete_retention_ms = values.integer("delete.retention.ms");
  log.min_compaction_lag_ms = values.integer("min.compaction.lag.ms");
  log.max_compaction_lag_ms = values.integer("max.compaction.lag.ms");
  log.file_delete_delay_ms = values.integer("file.delete.delay.ms");
  log.flush_messages = values.integer("flush.messages");
  log.flush_ms = values.integer("flush.ms");
  const auto of_broker = [&](std::string_view key) {
    return config::broker_value(*config::find(config::broker_keys(), key), broker).value_or("");
  };
  log.producer_id_expiration_ms = config::parse_integer(of_broker("producer.id.expiration.ms")).value_or(0);
  log.transaction_partition_verification = of_broker("transaction.partition.verification.enable") == "true";
  return log;
}

struct TopicCodec {
  std::string_view name;
  Codec codec;
  std::string_view level_key;
};
constexpr TopicCodec kCodecs[] = {{"uncompressed", Codec::kNone, ""},
                                  {"gzip", Codec::kGzip, "compression.gzip.level"},
                                  {"snappy", Codec::kSnappy, ""},
                                  {"lz4", Codec::kLz4, "compression.lz4.level"},
                                  {"zstd", Codec::kZstd, "compression.zstd.level"}};

ProduceRules produce_rules(const TopicValues& values, bool compacted) {
  ProduceRules rules;
  rules.max_message_bytes = static_cast<int32_t>(values.integer("max.message.bytes"));
  rules.compacted = compacted;
  rules.timestamp_type = values.text("message.timestamp.type") == "LogAppendTime"
                             ? TimestampType::kLogAppendTime
                             : TimestampType::kCreateTime;
  rules.timestamp_before_max_ms = values.integer("message.timestamp.before.max.ms");
  rules.timestamp_after_max_ms = values.integer("message.timestamp.after.max.ms");
  const std::string_view compression = values.text("compression.type");  // "producer" is none of the codecs
  for (const TopicCodec& codec : kCodecs) {
    if (codec.name != compression) continue;
    rules.compression = codec.codec;
    if (!codec.level_key.empty()) rules.compression_level = static_cast<int>(values.integer(codec.level_key));
  }
  return rules;
}

}  // namespace

TopicOptions topic_options(const NodeOptions& options, const ClusterImage& image, std::string_view topic) {
  const config::BrokerValues broker = ports::broker_values(options.given, image, options.node_id);
  const TopicValues values(config::topic_values(image.configs(ConfigType::kTopic, topic), broker));
  TopicOptions out;
  out.log = log_options(broker, values);
  out.rules = produce_rules(values, out.log.cleanup_compact);
  out.min_insync_replicas = static_cast<int32_t>(values.integer("min.insync.replicas"));
  return out;
}

}  // namespace moldau::server
