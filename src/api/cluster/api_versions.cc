#include "api/cluster/api_versions.h"

#include "api/dispatcher.h"
#include "api/services.h"
#include "protocol/messages/api_versions.h"

namespace moldau::api {
namespace {

using protocol::ApiVersionsRequest;
using protocol::ApiVersionsResponse;

// Letters and digits, with . and - inside: what KIP-511 allows in a client's name and version.
bool is_software_text(std::string_view text) {
  const auto inner = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  if (text.empty() || !inner(text.front()) || !inner(text.back())) return false;
  for (char c : text) {
    if (!inner(c) && c != '-' && c != '.') return false;
  }
  return true;
}

bool is_valid(const ApiVersionsRequest& request, int16_t version) {
  if (version >= 5 && request.cluster_id.has_value() != (request.node_id != -1)) return false;
  return version < 3 || (is_software_text(request.client_software_name) &&
                         is_software_text(request.client_software_version));
}

// A client may say which cluster and node it expects here (KIP-1242); brokers look at it.
bool is_elsewhere(const Services& services, const ApiVersionsRequest& request) {
  return request.cluster_id &&
         (*request.cluster_id != services.node.cluster_id || BrokerId(request.node_id) != services.node.id);
}

ErrorCode check(const Services& services, const ApiVersionsRequest& request, int16_t version,
                protocol::ListenerKind kind) {
  if (!is_valid(request, version)) return ErrorCode::kInvalidRequest;
  return kind == protocol::ListenerKind::kBroker && is_elsewhere(services, request)
             ? ErrorCode::kRebootstrapRequired
             : ErrorCode::kNone;
}

void add_apis(ApiVersionsResponse& response, protocol::ListenerKind kind, bool unstable) {
  for (const Route& route : routes(kind)) {
    const auto range = protocol::advertised_versions(protocol::api_info(route.key), kind, unstable);
    if (!range.empty())
      response.api_keys.push_back({static_cast<int16_t>(route.key), range.first, range.last});
  }
}

void add_features(ApiVersionsResponse& response, const ClusterImage& image, int16_t version) {
  for (const SupportedFeature& feature : supported_features()) {
    // Before version 4 a range that begins with 0 couldn't be said (KAFKA-17011).
    if (version < 4 && feature.min_level == 0) continue;
    response.supported_features.push_back({feature.name, feature.min_level, feature.max_level});
  }
  response.finalized_features_epoch = image.offset().value;
  image.features().for_each([&](const std::string& name, int16_t level) {
    response.finalized_features.push_back({name, level, level});
  });
}

void answer(Services& services, Call call, protocol::ListenerKind kind) {
  const auto request = call.decode<ApiVersionsRequest>();
  if (!request) return;
  ApiVersionsResponse response;
  if (const ErrorCode error = check(services, *request, call.version(), kind); error != ErrorCode::kNone) {
    response.error_code = static_cast<int16_t>(error);
    return call.reply(response);
  }
  if (call.version() >= 3) {
    call.peer().client_software = request->client_software_name;
    call.peer().client_version = request->client_software_version;
  }
  add_apis(response, kind, services.unstable_api_versions);
  add_features(response, services.image(call.lane()), call.version());
  call.reply(response);
}

}  // namespace

void handle_broker_api_versions(Services& services, Call call) {
  answer(services, std::move(call), protocol::ListenerKind::kBroker);
}
void handle_controller_api_versions(Services& services, Call call) {
  answer(services, std::move(call), protocol::ListenerKind::kController);
}

void refuse_api_versions(Call call) {
  ApiVersionsResponse response;
  response.error_code = static_cast<int16_t>(ErrorCode::kUnsupportedVersion);
  const protocol::ApiInfo& api = call.api();
  response.api_keys.push_back({static_cast<int16_t>(api.key), api.versions.first, api.last_stable});
  call.reply_in_version(response, 0);
}

}  // namespace moldau::api
