// What the loss or the return of a broker means for the partitions: ISRs that shrink, leaders that are
// elected.
#pragma once
#include <vector>

#include "controller/controller_view.h"
#include "controller/leader_selectors.h"

namespace moldau {

struct BrokerShift {
  BrokerId removed = kNoBroker;  // leaves all ISRs, can't lead, whatever the image still says
  BrokerId added = kNoBroker;    // may lead, although the image still has it fenced
};

// Who may lead as things are: active brokers whose replica's directory is online. Of what outlives the call.
Acceptable acceptable_leaders(const ClusterImage& image, const PartitionRegistration& partition);

// Adds a PartitionChangeRecord for each of the partitions that changes.
void add_leader_and_isr_changes(const ControllerView& view, const BrokerShift& shift,
                                const std::vector<TopicPartition>& partitions, RecordBuffer& records);

}  // namespace moldau
