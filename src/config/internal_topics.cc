#include "config/internal_topics.h"

#include "base/assert.h"
#include "config/value.h"

namespace moldau::config {
namespace {

class Broker {
 public:
  explicit Broker(const BrokerValues& values) : values_(values) {}

  std::string text(std::string_view name) const {
    const Key* key = find(broker_keys(), name);
    ASSERT(key, "a key that Kafka doesn't have");
    return broker_value(*key, values_).value_or("");
  }
  template <class Number>
  Number number(std::string_view name) const {
    const auto value = parse_integer(text(name));
    ASSERT(value, "values are validated before they are used");
    return static_cast<Number>(*value);
  }

 private:
  const BrokerValues& values_;
};

}  // namespace

std::vector<InternalTopic> internal_topics(const BrokerValues& values) {
  const Broker broker(values);
  return {
      {"__consumer_offsets",
       broker.number<int32_t>("offsets.topic.num.partitions"),
       broker.number<int16_t>("offsets.topic.replication.factor"),
       {{"cleanup.policy", "compact"},
        {"compression.type", "producer"},
        {"segment.bytes", broker.text("offsets.topic.segment.bytes")}}},
      {"__transaction_state",
       broker.number<int32_t>("transaction.state.log.num.partitions"),
       broker.number<int16_t>("transaction.state.log.replication.factor"),
       {{"unclean.leader.election.enable", "false"},
        {"compression.type", "uncompressed"},
        {"cleanup.policy", "compact"},
        {"min.insync.replicas", broker.text("transaction.state.log.min.isr")},
        {"segment.bytes", broker.text("transaction.state.log.segment.bytes")}}},
      {"__share_group_state",
       broker.number<int32_t>("share.coordinator.state.topic.num.partitions"),
       broker.number<int16_t>("share.coordinator.state.topic.replication.factor"),
       {{"cleanup.policy", "delete"},
        {"compression.type", "producer"},
        {"segment.bytes", broker.text("share.coordinator.state.topic.segment.bytes")},
        {"min.insync.replicas", broker.text("share.coordinator.state.topic.min.isr")},
        {"retention.ms", "-1"}}},
  };
}

}  // namespace moldau::config
