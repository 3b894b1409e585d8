#include "api/cluster/node_requests.h"

#include "api/forward.h"

namespace moldau::api {
namespace {

template <class Request>
void forward_of_node(Services& services, Call call,
                     void (ports::ControllerPort::*operation)(ports::Caller, ports::Kept<Request>,
                                                              ports::Answer<typename Request::Response>)) {
  forward_whole(services, std::move(call), operation, [](Call& open, const Error& error) {
    typename Request::Response response;
    response.error_code = static_cast<int16_t>(error.code);
    open.reply(response);
  });
}

}  // namespace

void handle_broker_registration(Services& services, Call call) {
  forward_of_node<protocol::BrokerRegistrationRequest>(services, std::move(call),
                                                       &ports::ControllerPort::register_broker);
}

void handle_broker_heartbeat(Services& services, Call call) {
  forward_of_node<protocol::BrokerHeartbeatRequest>(services, std::move(call),
                                                    &ports::ControllerPort::heartbeat);
}

void handle_alter_partition(Services& services, Call call) {
  forward_of_node<protocol::AlterPartitionRequest>(services, std::move(call),
                                                   &ports::ControllerPort::alter_partition);
}

void handle_assign_replicas_to_dirs(Services& services, Call call) {
  forward_of_node<protocol::AssignReplicasToDirsRequest>(services, std::move(call),
                                                         &ports::ControllerPort::assign_replicas_to_dirs);
}

void handle_allocate_producer_ids(Services& services, Call call) {
  forward_of_node<protocol::AllocateProducerIdsRequest>(services, std::move(call),
                                                        &ports::ControllerPort::allocate_producer_ids);
}

void handle_controller_registration(Services& services, Call call) {
  forward_of_node<protocol::ControllerRegistrationRequest>(services, std::move(call),
                                                           &ports::ControllerPort::register_controller);
}

}  // namespace moldau::api
