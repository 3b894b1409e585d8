// What the loss or the return of a broker means for the partitions: ISRs that shrink, leaders that are
// elected.
#pragma once
#include <functional>

#include "controller/state/controller_view.h"
#include "controller/state/partition_changes.h"

namespace moldau {

struct BrokerShift {
  BrokerId removed = kNoBroker;  // leaves all ISRs, can't lead, whatever the image still says
  BrokerId added = kNoBroker;    // may lead, although the image still has it fenced
  BrokerId unclean_shutdown =
      kNoBroker;  // as removed, and isn't eligible to lead either: it may have lost records
};

// Changes those of the partitions that are `concerned` and that the shift means something for, until the plan has
// `limit` records. False: it has ended there, maybe before the last one.
using Concerned = std::function<bool(const PartitionRegistration&)>;
bool add_leader_and_isr_changes(const ControllerView& view, const BrokerShift& shift,
                                const ClusterIndex::Partitions& partitions, const Concerned& concerned,
                                size_t limit, PartitionChanges& changes);

}  // namespace moldau
