#include "api/cluster/describe_cluster.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/cluster/authorized_operations.h"
#include "api/services.h"
#include "protocol/messages/describe_cluster.h"

namespace moldau::api {
namespace {

using protocol::DescribeClusterRequest;
using protocol::DescribeClusterResponse;

enum class EndpointType : int8_t { kBroker = 1, kController = 2 };

std::string_view name_of(EndpointType type) {
  return type == EndpointType::kBroker ? "BROKER" : "CONTROLLER";
}

// Version 0 knows neither the field nor its errors.
Status check(const DescribeClusterRequest& request, int16_t version, EndpointType here) {
  if (request.endpoint_type == static_cast<int8_t>(here)) return {};
  const auto asked = static_cast<EndpointType>(request.endpoint_type);
  if (asked != EndpointType::kBroker && asked != EndpointType::kController) {
    return fail(version == 0 ? ErrorCode::kInvalidRequest : ErrorCode::kUnsupportedEndpointType,
                fmt::format("Unsupported endpoint type {}", request.endpoint_type));
  }
  return fail(version == 0 ? ErrorCode::kInvalidRequest : ErrorCode::kMismatchedEndpointType,
              fmt::format("This endpoint is of type {}, the request wants one of type {}", name_of(here),
                          name_of(asked)));
}

void refuse(Call& call, const Error& error) {
  DescribeClusterResponse response;
  response.error_code = static_cast<int16_t>(error.code);
  response.error_message = error.message;
  call.reply(response);
}

void add_node(DescribeClusterResponse& response, BrokerId id, const RegisteredListener& at,
              const std::optional<std::string>& rack, bool fenced) {
  auto& node = response.brokers.emplace_back();
  node.broker_id = id.value;
  node.host = at.host;
  node.port = at.port;
  if (rack) node.rack = *rack;
  node.is_fenced = fenced;
}

// `controller` is told only if it is among the nodes.
void answer(const Services& services, Call& call, const DescribeClusterRequest& request, EndpointType here,
            BrokerId controller, DescribeClusterResponse response) {
  response.cluster_id = services.node.cluster_id;
  response.endpoint_type = static_cast<int8_t>(here);
  const bool listed =
      std::ranges::find(response.brokers, controller.value,
                        &DescribeClusterResponse::DescribeClusterBroker::broker_id) != response.brokers.end();
  response.controller_id = listed ? controller.value : kNoBroker.value;
  if (request.include_cluster_authorized_operations)
    response.cluster_authorized_operations = kClusterOperations;
  call.reply(response);
}

}  // namespace

void handle_broker_describe_cluster(Services& services, Call call) {
  const auto request = call.decode<DescribeClusterRequest>();
  if (!request) return;
  if (const Status fits = check(*request, call.version(), EndpointType::kBroker); !fits)
    return refuse(call, fits.error());
  DescribeClusterResponse response;
  std::vector<BrokerId> unfenced;
  services.image(call.lane()).brokers().for_each([&](BrokerId id, const BrokerRegistration& broker) {
    if (!broker.fenced) unfenced.push_back(id);
    const RegisteredListener* at = broker.listener(call.peer().listener);
    if (at && (!broker.fenced || request->include_fenced_brokers))
      add_node(response, id, *at, broker.rack, broker.fenced);
  });
  // As in Metadata, any broker passes as the controller.
  const BrokerId controller =
      unfenced.empty() ? kNoBroker : unfenced[services.runtime.random().below(unfenced.size())];
  answer(services, call, *request, EndpointType::kBroker, controller, std::move(response));
}

void handle_controller_describe_cluster(Services& services, Call call) {
  const auto request = call.decode<DescribeClusterRequest>();
  if (!request) return;
  const ClusterImage& image = services.image(call.lane());
  if (image.empty() || !image.metadata_version().controller_registration) {
    return refuse(call, {ErrorCode::kUnsupportedVersion,
                         "Controllers can't be described at the cluster's metadata.version; send the request "
                         "to a broker, or raise it with kafka-features upgrade"});
  }
  if (const Status fits = check(*request, call.version(), EndpointType::kController); !fits)
    return refuse(call, fits.error());
  DescribeClusterResponse response;
  image.controllers().for_each([&](BrokerId id, const ControllerRegistration& controller) {
    const auto at = std::ranges::find(controller.listeners, call.peer().listener, &RegisteredListener::name);
    if (at != controller.listeners.end()) add_node(response, id, *at, std::nullopt, false);
  });
  answer(services, call, *request, EndpointType::kController, services.quorum.leader(call.lane()),
         std::move(response));
}

}  // namespace moldau::api
