// What a node says of itself when it registers, the same for brokers and controllers: where it listens and which features it
// knows.
#pragma once

namespace moldau {

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
