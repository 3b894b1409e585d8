#include "protocol/api_info.h"

#include <algorithm>

#include "base/assert.h"

namespace moldau::protocol {
namespace {

// Without regard to case.
bool same_name(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

const ApiInfo* find_api(int16_t key) {
  const auto apis = all_apis();
  return key >= 0 && static_cast<size_t>(key) < apis.size() ? &apis[static_cast<size_t>(key)] : nullptr;
}

const ApiInfo* find_api(std::string_view name) {
  for (const ApiInfo& api : all_apis())
    if (same_name(api.name, name) || same_name(api.upper_name, name)) return &api;
  return nullptr;
}

const ApiInfo& api_info(ApiKey key) {
  const ApiInfo* api = find_api(static_cast<int16_t>(key));
  ASSERT(api != nullptr, "an API key that the schema lacks");
  return *api;
}

VersionRange advertised_versions(const ApiInfo& api, ListenerKind kind, bool unstable_enabled) {
  if (!api.on(kind)) return {};
  VersionRange range = api.advertised;
  if (!unstable_enabled) range.last = std::min(range.last, api.last_stable);
  return range;
}

bool is_served(const ApiInfo& api, int16_t version, ListenerKind kind, bool unstable_enabled) {
  return api.on(kind) && api.versions.contains(version) && (unstable_enabled || version <= api.last_stable);
}

int16_t request_header_version(const ApiInfo& api, int16_t version) {
  return !api.flexible.empty() && version >= api.flexible.first ? 2 : 1;
}

int16_t response_header_version(const ApiInfo& api, int16_t version) {
  if (api.key == ApiKey::kApiVersions) return 0;
  return !api.flexible.empty() && version >= api.flexible.first ? 1 : 0;
}

}  // namespace moldau::protocol
