#include "coordinator/subscription.h"

#include "protocol/codec.h"
#include "protocol/data/consumer_protocol_subscription.h"

namespace moldau {

bool add_subscribed_topics(Bytes metadata, std::set<std::string, std::less<>>& topics) {
  protocol::Decoder in(metadata);
  const int16_t version = in.i16();
  if (!in.ok() || version < 0) return false;
  protocol::ConsumerProtocolSubscription subscription;
  if (!protocol::decode(in, 0, subscription)) return false;
  for (const std::string_view topic : subscription.topics) topics.emplace(topic);
  return true;
}

}  // namespace moldau
