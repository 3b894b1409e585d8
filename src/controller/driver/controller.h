// Controller: the active controller's lane: operations come in, plans go to the log, answers leave when they
// are committed and shown. Owner: lane 0; the port's methods may be called anywhere.
//
//   call ──► plan(image, request) ──► replay into the controller's image ──► raft append ──► committed ──►
//   shown ──► answer
//
// Invariants
//   C1  an operation is planned on an image that has all operations before it, committed or not; operations
//   are planned,
//       replayed and appended in one go, so they never interleave
//   C2  an answer leaves only when its records are committed and all lanes of this node have them; one
//   without records only
//       when what it was planned on is
//   C3  on loss of leadership the image is dropped, and all that wait are answered NOT_CONTROLLER; the next
//   term begins with
//       what was committed
//   C4  a heartbeat that changes nothing waits for nothing
#pragma once
#include <memory>

#include "controller/controller_options.h"
#include "io/runtime.h"
#include "metadata/driver/metadata_follower.h"
#include "ports/controller.h"
#include "raft/driver/raft_driver.h"

namespace moldau {

class Controller final : public RaftListener, public ports::ControllerPort {
 public:
  // `bootstrap`: the records that a new cluster begins with, from the bootstrap checkpoint.
  Controller(io::Runtime& runtime, RaftDriver& raft, MetadataFollower& follower, ControllerOptions options,
             RecordBuffer bootstrap);
  ~Controller() override;

  bool is_active() const;  // on lane 0

  // ports::ControllerPort
  void create_topics(ports::Caller, ports::Kept<protocol::CreateTopicsRequest>,
                     ports::Answer<protocol::CreateTopicsResponse>) override;
  void delete_topics(ports::Caller, ports::Kept<protocol::DeleteTopicsRequest>,
                     ports::Answer<protocol::DeleteTopicsResponse>) override;
  void allocate_producer_ids(ports::Caller, ports::Kept<protocol::AllocateProducerIdsRequest>,
                             ports::Answer<protocol::AllocateProducerIdsResponse>) override;
  void register_broker(ports::Caller, ports::Kept<protocol::BrokerRegistrationRequest>,
                       ports::Answer<protocol::BrokerRegistrationResponse>) override;
  void unregister_broker(ports::Caller, ports::Kept<protocol::UnregisterBrokerRequest>,
                         ports::Answer<protocol::UnregisterBrokerResponse>) override;
  void heartbeat(ports::Caller, ports::Kept<protocol::BrokerHeartbeatRequest>,
                 ports::Answer<protocol::BrokerHeartbeatResponse>) override;
  void register_controller(ports::Caller, ports::Kept<protocol::ControllerRegistrationRequest>,
                           ports::Answer<protocol::ControllerRegistrationResponse>) override;

  // RaftListener
  Status on_commit(const CommittedBatch& batch) override;
  void on_commits_delivered() override;
  void on_leader_change(const LeaderAndEpoch& leader) override;

 private:
  struct Term;  // one time of being active

  io::Runtime& runtime_;
  io::Lane& lane_;
  RaftDriver& raft_;
  MetadataFollower& follower_;
  ControllerOptions options_;
  RecordBuffer bootstrap_;
  std::unique_ptr<Term> term_;  // null: not active
};

}  // namespace moldau
