// Client quotas as the metadata log has them (KIP-546): for users, client ids, both, or addresses.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "base/persistent_map.h"

namespace moldau {

// "user", "client-id" or "ip" to a name; nullopt: all of the kind that have no quota of their own.
using QuotaEntity = std::map<std::string, std::optional<std::string>, std::less<>>;
using QuotaValues = PersistentMap<std::string, double>;

inline constexpr std::string_view kQuotaUser = "user";
inline constexpr std::string_view kQuotaClientId = "client-id";
inline constexpr std::string_view kQuotaIp = "ip";

}  // namespace moldau
