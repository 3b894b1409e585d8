// What a node says of itself when it registers, the same for brokers and controllers: where it listens and which features it
// knows.
#pragma once
#include <string>

#include "base/result.h"

namespace moldau {

// A Kafka node that reads the registration of a listener without name, host or port, or of a protocol that it doesn't know,
// stops, or ceases to be the active controller.
template <class Request>
Status check_listeners(const Request& request) {
  constexpr int16_t kLastProtocol = 3;  // SASL_SSL
  for (const auto& l : request.listeners) {
    if (l.name.empty() || l.host.empty() || l.port == 0)
      return fail(ErrorCode::kInvalidRegistration, "A listener has no name, no host or no port");
    if (l.security_protocol < 0 || l.security_protocol > kLastProtocol)
      return fail(ErrorCode::kInvalidRegistration, "Listener " + std::string(l.name) +
                                                       " has an unknown security protocol, " +
                                                       std::to_string(l.security_protocol));
  }
  return {};
}

template <class Request, class Record>
void copy_listeners_and_features(const Request& request, Record& record) {
  for (const auto& l : request.listeners)
    record.end_points.push_back(
        {.name = l.name, .host = l.host, .port = l.port, .security_protocol = l.security_protocol});
  for (const auto& f : request.features)
    record.features.push_back({.name = f.name,
                               .min_supported_version = f.min_supported_version,
                               .max_supported_version = f.max_supported_version});
}

}  // namespace moldau
