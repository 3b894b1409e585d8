// PeriodicWork: what the active controller does unasked: elections of preferred leaders, unclean elections of
// topics that allow them, placeholders that are filled. A pass that has ended at its limit is followed by another
// one, with other operations in between. Ends with the term. Owner: lane 0.
#pragma once
#include <set>

#include "controller/state/plan.h"
#include "io/runtime.h"
#include "metadata/cluster_delta.h"

namespace moldau {

class ControllerTerm;
struct ControllerOptions;

class PeriodicWork {
 public:
  PeriodicWork(ControllerTerm& term, io::Lane& lane, const ControllerOptions& options)
      : term_(term), lane_(lane), options_(options) {}

  void start();
  void stop();
  // After each change of the controller's image: brokers that have become active get placeholders.
  void note(const ClusterDelta& delta, const ClusterImage& after);

 private:
  void balance();
  void elect_uncleanly();
  void sweep();
  void fill_next();

  ControllerTerm& term_;
  io::Lane& lane_;
  const ControllerOptions& options_;
  bool running_ = false;
  std::set<BrokerId> joined_;
  io::Timer balance_timer_, unclean_timer_, sweep_timer_, fill_timer_;
};

}  // namespace moldau
