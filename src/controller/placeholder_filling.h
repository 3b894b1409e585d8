// Placeholders of under-replicated partitions (under_replicated.h) become replicas when brokers come: always,
// whether or not such partitions may still be created. One event fills at most kMaxFillsPerPass, in one batch;
// other operations get their turn in between. Leader and ISR stay as they are: the new replica joins the ISR by
// AlterPartition like any other.
#pragma once
#include "controller/state/controller_view.h"
#include "controller/state/plan.h"

namespace moldau {

inline constexpr size_t kMaxFillsPerPass = 1000;

// A broker has become active, or one of its directories takes replicas again: it gets one placeholder of each
// partition that it isn't a replica of. Those with the fewest active replicas above min.insync.replicas come
// first. Not of a partition that is being reassigned, or has no leader: an empty replica must not become
// electable.
OwnPlan plan_filling(const ControllerView& view, BrokerId joining);
// All placeholders, from time to time and at the beginning of a term: for each a broker from a rack that the
// partition isn't in yet, then the one with the fewest replicas, then the lowest id.
OwnPlan plan_filling_sweep(const ControllerView& view);

}  // namespace moldau
