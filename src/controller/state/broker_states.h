// How the controller sees a broker, and what a heartbeat changes about it.
#pragma once
#include <string_view>

namespace moldau {

enum class BrokerControlState {
  kFenced,              // not counted on: leads nothing, is in no ISR
  kUnfenced,            // active
  kControlledShutdown,  // unfenced, but leaving: its leaderships are being moved
  kShutdownNow,         // may go; fenced
};

struct BrokerTransition {
  BrokerControlState from;
  BrokerControlState to;
  std::string_view when;
  std::string_view records;
};

inline constexpr BrokerTransition kBrokerTransitions[] = {
    {BrokerControlState::kFenced, BrokerControlState::kUnfenced,
     "it doesn't want to be fenced, and has the metadata up to its registration",
     "BrokerRegistrationChange(unfence), PartitionChange of leaderless partitions"},
    {BrokerControlState::kFenced, BrokerControlState::kShutdownNow, "it wants to shut down",
     "PartitionChange, BrokerRegistrationChange(fence)"},
    {BrokerControlState::kUnfenced, BrokerControlState::kFenced,
     "it wants to be fenced; or its session has run out",
     "PartitionChange(isr without it), BrokerRegistrationChange(fence)"},
    {BrokerControlState::kUnfenced, BrokerControlState::kControlledShutdown,
     "it wants to shut down and leads partitions",
     "BrokerRegistrationChange(in controlled shutdown), PartitionChange(isr without it)"},
    {BrokerControlState::kUnfenced, BrokerControlState::kShutdownNow,
     "it wants to shut down and leads nothing",
     "PartitionChange(isr without it), BrokerRegistrationChange(fence)"},
    {BrokerControlState::kControlledShutdown, BrokerControlState::kShutdownNow,
     "it leads nothing any more, and all active brokers know it",
     "PartitionChange, BrokerRegistrationChange(fence)"},
};

constexpr std::string_view name_of(BrokerControlState state) {
  constexpr std::string_view kNames[] = {"FENCED", "UNFENCED", "CONTROLLED_SHUTDOWN", "SHUTDOWN_NOW"};
  return kNames[static_cast<int>(state)];
}

constexpr const BrokerTransition* find_transition(BrokerControlState from, BrokerControlState to) {
  for (const BrokerTransition& t : kBrokerTransitions)
    if (t.from == from && t.to == to) return &t;
  return nullptr;
}

struct HeartbeatFacts {
  bool wants_fence = false;
  bool wants_shutdown = false;
  bool caught_up = false;  // has the metadata up to its own registration
  bool leads_partitions = false;
  bool others_caught_up = false;  // all active brokers have the metadata up to its shutdown offset
};

BrokerControlState next_broker_state(BrokerControlState now, const HeartbeatFacts& facts);

}  // namespace moldau
