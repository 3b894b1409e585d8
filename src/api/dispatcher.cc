#include "api/dispatcher.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/cluster/api_versions.h"
#include "api/services.h"
#include "base/endian.h"

namespace moldau::api {
namespace {

const Route* find_route(protocol::ListenerKind kind, int16_t key) {
  const auto table = routes(kind);
  const auto at = std::ranges::lower_bound(table, static_cast<protocol::ApiKey>(key), {}, &Route::key);
  return at != table.end() && static_cast<int16_t>(at->key) == key ? &*at : nullptr;
}

}  // namespace

bool Dispatcher::may_overlap(Bytes frame) const {
  const Route* route = frame.size() >= 2 ? find_route(kind_, load_be<int16_t>(frame.data())) : nullptr;
  return route && route->may_overlap;
}

void Dispatcher::handle(Request request, Responder responder) {
  protocol::Decoder in(request.frame);
  const int16_t key = in.i16(), version = in.i16();
  const int32_t correlation_id = in.i32();
  const protocol::ApiInfo* api = protocol::find_api(key);
  if (!in.ok()) return responder.close("a request without a whole header");
  const Route* route = api ? find_route(kind_, key) : nullptr;
  if (!route) {
    return responder.close(fmt::format("a request with API key {} ({}), which this listener doesn't serve",
                                       key, api ? api->name : "unknown"));
  }
  std::optional<std::string_view> client_id;
  in.string(false, true, client_id);  // not compact in any header version
  if (protocol::request_header_version(*api, version) >= 2) in.skip_tagged_part();
  if (!in.ok()) return responder.close(fmt::format("a {} request with a malformed header", api->name));
  const size_t body = in.position();
  const bool served = protocol::is_served(*api, version, kind_, services_.unstable_api_versions);
  Call call(*api, version, correlation_id, client_id.value_or(std::string_view{}), body, std::move(request),
            std::move(responder));
  if (served) return route->handler(services_, std::move(call));
  if (api->key == protocol::ApiKey::kApiVersions) return refuse_api_versions(std::move(call));
  call.close(fmt::format("a {} request of version {}, which isn't served; {} to {} are", api->name, version,
                         api->versions.first, api->versions.last));
}

}  // namespace moldau::api
