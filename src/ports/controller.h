// ControllerPort: the operations of the active controller, for request handlers and for the broker beside it.
//
// Ownership. A protocol message's strings are views. Kept carries a message together with what they point to:
// the frame that it was decoded from, an arena for what was made. Whoever has the Kept may move it to any
// lane. A response's views may point into the request's frame: the response's Kept shares it.
#pragma once
#include <functional>
#include <memory>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/result.h"
#include "io/lane.h"
#include "metadata/topic_access.h"
#include "protocol/messages/allocate_producer_ids.h"
#include "protocol/messages/alter_client_quotas.h"
#include "protocol/messages/alter_configs.h"
#include "protocol/messages/alter_partition.h"
#include "protocol/messages/alter_partition_reassignments.h"
#include "protocol/messages/assign_replicas_to_dirs.h"
#include "protocol/messages/broker_heartbeat.h"
#include "protocol/messages/broker_registration.h"
#include "protocol/messages/controller_registration.h"
#include "protocol/messages/create_partitions.h"
#include "protocol/messages/create_topics.h"
#include "protocol/messages/delete_topics.h"
#include "protocol/messages/elect_leaders.h"
#include "protocol/messages/incremental_alter_configs.h"
#include "protocol/messages/unregister_broker.h"
#include "protocol/messages/unregister_controller.h"

namespace moldau::ports {

template <class Message>
struct Kept {
  Message message;
  Buffer frame;
  Arena arena;
};

struct Caller {
  io::Lane* lane = nullptr;  // where the answer runs
  int16_t version = 0;       // of the request
  TopicAccess access;
};

// Runs once, on the caller's lane. The error is one for the whole request: NOT_CONTROLLER if this node isn't
// the active one or ceased to be before the records were committed (they may or may not be, then).
template <class Response>
using Answer = std::move_only_function<void(Result<Kept<Response>>)>;

// Each may be called on any lane. An answer comes when the operation's records are committed and this node's
// lanes have the image that contains them: whoever hears "created" finds the topic on any connection of this
// node.
class ControllerPort {
 public:
  virtual ~ControllerPort() = default;
  virtual void create_topics(Caller, Kept<protocol::CreateTopicsRequest>,
                             Answer<protocol::CreateTopicsResponse>) = 0;
  virtual void delete_topics(Caller, Kept<protocol::DeleteTopicsRequest>,
                             Answer<protocol::DeleteTopicsResponse>) = 0;
  virtual void create_partitions(Caller, Kept<protocol::CreatePartitionsRequest>,
                                 Answer<protocol::CreatePartitionsResponse>) = 0;
  virtual void incremental_alter_configs(Caller, Kept<protocol::IncrementalAlterConfigsRequest>,
                                         Answer<protocol::IncrementalAlterConfigsResponse>) = 0;
  virtual void alter_configs(Caller, Kept<protocol::AlterConfigsRequest>,
                             Answer<protocol::AlterConfigsResponse>) = 0;
  virtual void elect_leaders(Caller, Kept<protocol::ElectLeadersRequest>,
                             Answer<protocol::ElectLeadersResponse>) = 0;
  virtual void alter_partition_reassignments(Caller, Kept<protocol::AlterPartitionReassignmentsRequest>,
                                             Answer<protocol::AlterPartitionReassignmentsResponse>) = 0;
  virtual void alter_client_quotas(Caller, Kept<protocol::AlterClientQuotasRequest>,
                                   Answer<protocol::AlterClientQuotasResponse>) = 0;
  virtual void allocate_producer_ids(Caller, Kept<protocol::AllocateProducerIdsRequest>,
                                     Answer<protocol::AllocateProducerIdsResponse>) = 0;
  virtual void register_broker(Caller, Kept<protocol::BrokerRegistrationRequest>,
                               Answer<protocol::BrokerRegistrationResponse>) = 0;
  virtual void unregister_broker(Caller, Kept<protocol::UnregisterBrokerRequest>,
                                 Answer<protocol::UnregisterBrokerResponse>) = 0;
  virtual void heartbeat(Caller, Kept<protocol::BrokerHeartbeatRequest>,
                         Answer<protocol::BrokerHeartbeatResponse>) = 0;
  virtual void alter_partition(Caller, Kept<protocol::AlterPartitionRequest>,
                               Answer<protocol::AlterPartitionResponse>) = 0;
  virtual void assign_replicas_to_dirs(Caller, Kept<protocol::AssignReplicasToDirsRequest>,
                                       Answer<protocol::AssignReplicasToDirsResponse>) = 0;
  virtual void register_controller(Caller, Kept<protocol::ControllerRegistrationRequest>,
                                   Answer<protocol::ControllerRegistrationResponse>) = 0;
  virtual void unregister_controller(Caller, Kept<protocol::UnregisterControllerRequest>,
                                     Answer<protocol::UnregisterControllerResponse>) = 0;
};

}  // namespace moldau::ports
