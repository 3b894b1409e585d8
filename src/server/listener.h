// Listeners as Kafka's configuration names them: NAME://host:port.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/transport.h"

namespace moldau::server {

enum class SecurityProtocol : int16_t { kPlaintext = 0, kSsl = 1, kSaslPlaintext = 2, kSaslSsl = 3 };

struct Listener {
  std::string name;  // upper case
  io::Endpoint address;
  SecurityProtocol protocol = SecurityProtocol::kPlaintext;
};

// NAME -> protocol, from listener.security.protocol.map.
using ProtocolMap = std::map<std::string, SecurityProtocol, std::less<>>;

Result<ProtocolMap> parse_protocol_map(std::string_view text);
// `key` is the configuration key that the text came from, for the refusal. Names must be in the map; names
// and, unless `may_share_ports`, ports occur once (one IPv4 and one IPv6 address may share a port).
Result<std::vector<Listener>> parse_listeners(std::string_view key, std::string_view text,
                                              const ProtocolMap& map, bool may_share_ports);

// "host:port", an IPv6 address in brackets. `key` and `entry` are for the refusal.
Result<io::Endpoint> parse_address(std::string_view key, std::string_view entry, std::string_view address);

std::string_view protocol_name(SecurityProtocol protocol);

}  // namespace moldau::server
