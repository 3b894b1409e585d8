#include "net/connection_limits.h"

#include <fmt/format.h>

namespace moldau::net {

std::optional<std::string> ConnectionLimits::admit(const std::string& address) {
  const auto override = options_.per_address.find(address);
  const int limit = override == options_.per_address.end() ? options_.max_per_address : override->second;
  std::lock_guard hold(mutex_);
  if (total_ >= options_.max_connections) {
    return fmt::format("the node has {} connections, as many as max.connections allows", total_);
  }
  const auto at = counts_.find(address);
  const int count = at == counts_.end() ? 0 : at->second;
  if (count >= limit) {
    return fmt::format("{} has {} connections, as many as max.connections.per.ip allows", address, count);
  }
  counts_[address] = count + 1;
  ++total_;
  return std::nullopt;
}

void ConnectionLimits::leave(const std::string& address) {
  std::lock_guard hold(mutex_);
  --total_;
  const auto at = counts_.find(address);
  if (--at->second == 0) counts_.erase(at);
}

int ConnectionLimits::total() const {
  std::lock_guard hold(mutex_);
  return total_;
}

}  // namespace moldau::net
