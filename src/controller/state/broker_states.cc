#include "controller/state/broker_states.h"

namespace moldau {

BrokerControlState next_broker_state(BrokerControlState now, const HeartbeatFacts& facts) {
  using enum BrokerControlState;
  switch (now) {
    case kFenced:
      if (facts.wants_shutdown) return kShutdownNow;
      return !facts.wants_fence && facts.caught_up ? kUnfenced : kFenced;
    case kUnfenced:
      if (facts.wants_fence) return facts.wants_shutdown ? kShutdownNow : kFenced;
      if (facts.wants_shutdown) return facts.leads_partitions ? kControlledShutdown : kShutdownNow;
      return kUnfenced;
    case kControlledShutdown:
      return facts.leads_partitions || !facts.others_caught_up ? kControlledShutdown : kShutdownNow;
    case kShutdownNow: return kShutdownNow;
  }
  return now;
}

}  // namespace moldau
