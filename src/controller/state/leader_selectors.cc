#include "controller/state/leader_selectors.h"

namespace moldau {
namespace {

bool is_valid(const Candidates& c, BrokerId id) {
  if (id.value < 0 || !c.acceptable(id)) return false;
  return c.isr.contains(id) || (c.isr.empty() && c.elr.contains(id));
}

template <class Test>
BrokerId first_of(const ReplicaList& replicas, Test&& test) {
  for (int32_t id : replicas.raw())
    if (test(BrokerId(id))) return BrokerId(id);
  return kNoBroker;
}

BrokerId last_known_leader(const Candidates& c) {
  if (!c.elr_enabled || !c.isr.empty() || !c.elr.empty() || c.partition.last_known_elr.size() != 1)
    return kNoBroker;
  const BrokerId last = c.partition.last_known_elr[0];
  return c.replicas.contains(last) && c.acceptable(last) ? last
                                                         : kNoBroker;  // it may have been reassigned away
}

BrokerId clean_leader(Election election, const Candidates& c) {
  const auto valid = [&](BrokerId id) { return is_valid(c, id); };
  if (election == Election::kPreferred && !c.replicas.empty() && valid(c.replicas[0])) return c.replicas[0];
  if (valid(c.partition.leader)) return c.partition.leader;
  return first_of(c.replicas, valid);
}

}  // namespace

Elected elect(Election election, const Candidates& c) {
  if (const BrokerId clean = clean_leader(election, c); clean != kNoBroker) return {clean, false};
  if (const BrokerId last = last_known_leader(c); last != kNoBroker) return {last, true};
  if (election != Election::kUnclean) return {};
  const BrokerId any = first_of(c.replicas, [&](BrokerId id) { return id.value >= 0 && c.acceptable(id); });
  return any == kNoBroker ? Elected{} : Elected{any, true};
}

}  // namespace moldau
