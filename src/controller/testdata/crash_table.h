// For tests: each operation, its controller crashed at each of its steps: before the batch is committed and after
// it, alone and together with a broker. What must come of it: with the new controller, and without anybody asking
// again, the operation is complete, or everything is as before; asked again, it is complete.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "controller/testdata/cluster_invariants.h"
#include "controller/testdata/crash_operations.h"
#include "controller/testdata/record_text.h"

namespace moldau::test {

struct CrashRow {
  std::string operation;
  std::string step;  // what the batch holds
  std::string before_commit, after_commit;
};

class CrashExploration {
 public:
  std::vector<CrashRow> explore(const CrashOperation& operation) {
    std::vector<CrashRow> rows;
    for (const std::string& step : steps_of(operation)) {
      CrashRow row{operation.name, step, {}, {}};
      row.before_commit = outcome_of(operation, rows.size(), FakeCluster::Crash::kBeforeCommit);
      row.after_commit = outcome_of(operation, rows.size(), FakeCluster::Crash::kAfterCommit);
      rows.push_back(row);
    }
    return rows;
  }
  std::vector<std::string> faults;

 private:
  // What the operations are about: not who leads and who is in sync, which changes by itself.
  static std::string state_of_topics(const FakeCluster& c) {
    std::string s;
    c.image().topics().for_each([&](const Uuid&, const TopicImage& t) {
      s += t.name + ":";
      t.partitions.for_each([&](PartitionId, const PartitionRegistration& p) {
        for (const ReplicaList* list : {&p.replicas, &p.adding_replicas, &p.removing_replicas}) {
          for (int32_t id : list->raw()) s += std::to_string(id) + ",";
          s += "/";
        }
      });
    });
    return s;
  }

  std::vector<std::string> steps_of(const CrashOperation& operation) {
    FakeCluster c;
    operation.prepare(c);
    c.settle();
    const size_t begin = c.log().size();
    operation.act(c);
    c.settle();
    if (!operation.is_done(c)) faults.push_back(operation.name + " doesn't complete");
    std::vector<std::string> steps;
    for (size_t i = begin; i < c.log().size(); ++i) {
      std::string step;
      for (const std::string& record : c.log()[i]) {
        const auto decoded = protocol::decode_metadata_record(as_bytes(record));
        const std::string_view kind = std::visit(
            []<class R>(const R&) { return R::kName.substr(0, R::kName.size() - 6); }, decoded->record);
        step += (step.empty() ? "" : ", ") + std::string(kind);
      }
      steps.push_back(step);
    }
    return steps;
  }

  std::string outcome_of(const CrashOperation& operation, size_t step, FakeCluster::Crash how) {
    const std::string alone = run(operation, step, how, false), both = run(operation, step, how, true);
    return alone == both ? alone : alone + "; with broker " + std::to_string(operation.victim) + ": " + both;
  }

  std::string run(const CrashOperation& operation, size_t step, FakeCluster::Crash how, bool with_broker) {
    ClusterInvariants invariants;
    FakeCluster c([&](const FakeCluster& now) { invariants.check(now); });
    operation.prepare(c);
    c.settle();
    const std::string before = state_of_topics(c);
    c.crash_at(step, how);
    operation.act(c);
    if (!c.crashed()) c.settle();
    const std::string where = operation.name + ", step " + std::to_string(step) +
                              (how == FakeCluster::Crash::kBeforeCommit ? " before" : " after") +
                              (with_broker ? " with a broker: " : ": ");
    if (!c.crashed()) faults.push_back(where + "not reached");
    if (with_broker) c.kill(operation.victim);
    c.failover();
    c.settle();
    if (with_broker) c.restart(operation.victim), c.settle();
    std::string outcome = "neither";
    if (operation.is_done(c))
      outcome = "complete";
    else if (state_of_topics(c) == before)
      outcome = "undone";
    operation.act(c);
    c.settle();
    if (!operation.is_done(c)) faults.push_back(where + "isn't done when asked again");
    invariants.check_replay(c);
    for (const auto* list : {&invariants.faults, &c.faults})
      for (const std::string& fault : *list) faults.push_back(where + fault);
    if (outcome == "neither") faults.push_back(where + "neither complete nor undone");
    return outcome;
  }
};

}  // namespace moldau::test
