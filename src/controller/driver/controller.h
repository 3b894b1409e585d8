// Controller: the active controller: operations come in, plans go to the log, answers leave when they are committed and shown.
// Owner: lane 0; the port's methods may be called anywhere.
//
//   call ──► plan(image, request) ──► raft append ──► replay into the controller's image ──► committed ──► shown ──► answer
//
// Invariants
//   C1  an operation is planned on an image that has all operations before it, committed or not; it is planned, appended and
//       replayed in one go, so operations never interleave
//   C2  an answer leaves only when its records are committed and all lanes of this node have them; one without records only
//       when what it was planned on is
//   C3  on loss of leadership the term's image is dropped, and all who wait are answered NOT_CONTROLLER; the next term begins
//       with what was committed
//   C4  a heartbeat that changes nothing waits for nothing
//   C5  a broker's registration is answered when it is committed: this node's own may be shown much later, when all its logs
//       are loaded
//   C6  an operation on a broker with very many partitions goes in passes, each planned on an image that has the ones before;
//       other operations, heartbeats above all, get their turn in between
#pragma once
#include <memory>

#include "controller/state/controller_options.h"
#include "io/runtime.h"
#include "metadata/driver/metadata_follower.h"
#include "metadata/record_buffer.h"
#include "ports/controller.h"
#include "raft/driver/raft_driver.h"

namespace moldau {

class ControllerTerm;

class Controller final : public RaftListener, public ports::ControllerPort {
 public:
  // `bootstrap`: the records that a new cluster begins with. Add it to raft after the follower.
  Controller(io::Runtime& runtime, RaftDriver& raft, MetadataFollower& follower, ControllerOptions options,
             RecordBuffer bootstrap);
  ~Controller() override;

  bool is_active() const { return term_ != nullptr; }  // on lane 0

  // ports::ControllerPort
  void create_topics(ports::Caller, ports::Kept<protocol::CreateTopicsRequest>,
                     ports::Answer<protocol::CreateTopicsResponse>) override;
  void delete_topics(ports::Caller, ports::Kept<protocol::DeleteTopicsRequest>,
                     ports::Answer<protocol::DeleteTopicsResponse>) override;
  void create_partitions(ports::Caller, ports::Kept<protocol::CreatePartitionsRequest>,
                         ports::Answer<protocol::CreatePartitionsResponse>) override;
  void incremental_alter_configs(ports::Caller, ports::Kept<protocol::IncrementalAlterConfigsRequest>,
                                 ports::Answer<protocol::IncrementalAlterConfigsResponse>) override;
  void alter_configs(ports::Caller, ports::Kept<protocol::AlterConfigsRequest>,
                     ports::Answer<protocol::AlterConfigsResponse>) override;
  void elect_leaders(ports::Caller, ports::Kept<protocol::ElectLeadersRequest>,
                     ports::Answer<protocol::ElectLeadersResponse>) override;
  void alter_partition_reassignments(ports::Caller, ports::Kept<protocol::AlterPartitionReassignmentsRequest>,
                                     ports::Answer<protocol::AlterPartitionReassignmentsResponse>) override;
  void alter_client_quotas(ports::Caller, ports::Kept<protocol::AlterClientQuotasRequest>,
                           ports::Answer<protocol::AlterClientQuotasResponse>) override;
  void allocate_producer_ids(ports::Caller, ports::Kept<protocol::AllocateProducerIdsRequest>,
                             ports::Answer<protocol::AllocateProducerIdsResponse>) override;
  void register_broker(ports::Caller, ports::Kept<protocol::BrokerRegistrationRequest>,
                       ports::Answer<protocol::BrokerRegistrationResponse>) override;
  void unregister_broker(ports::Caller, ports::Kept<protocol::UnregisterBrokerRequest>,
                         ports::Answer<protocol::UnregisterBrokerResponse>) override;
  void heartbeat(ports::Caller, ports::Kept<protocol::BrokerHeartbeatRequest>,
                 ports::Answer<protocol::BrokerHeartbeatResponse>) override;
  void alter_partition(ports::Caller, ports::Kept<protocol::AlterPartitionRequest>,
                       ports::Answer<protocol::AlterPartitionResponse>) override;
  void assign_replicas_to_dirs(ports::Caller, ports::Kept<protocol::AssignReplicasToDirsRequest>,
                               ports::Answer<protocol::AssignReplicasToDirsResponse>) override;
  void register_controller(ports::Caller, ports::Kept<protocol::ControllerRegistrationRequest>,
                           ports::Answer<protocol::ControllerRegistrationResponse>) override;
  void unregister_controller(ports::Caller, ports::Kept<protocol::UnregisterControllerRequest>,
                             ports::Answer<protocol::UnregisterControllerResponse>) override;

  // RaftListener
  Status on_commit(const CommittedBatch& batch) override;
  void on_leader_change(const LeaderAndEpoch& leader) override;

 private:
  // Runs plan(term) on lane 0 if there is a term, again as long as there is more, and answers.
  template <class Request, class Response, class PlanIt>
  void run(ports::Caller caller, ports::Kept<Request> request, ports::Answer<Response> answer, PlanIt plan);
  template <class Request, class Response, class PlanIt>
  void operate(ports::Caller caller, ports::Kept<Request> request, ports::Answer<Response> answer,
               PlanIt plan);

  io::Runtime& runtime_;
  io::Lane& lane_;
  RaftDriver& raft_;
  MetadataFollower& follower_;
  ControllerOptions options_;
  RecordBuffer bootstrap_;
  std::shared_ptr<ControllerTerm> term_;  // null: not active
  std::shared_ptr<char> life_ = std::make_shared<char>();
};

}  // namespace moldau
