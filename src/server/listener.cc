#include "server/listener.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/value.h"

namespace moldau::server {
namespace {

constexpr std::string_view kProtocolNames[] = {"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"};

std::unexpected<Error> refuse(std::string_view key, std::string_view value, std::string_view reason) {
  return fail(ErrorCode::kInvalidConfig, fmt::format("{}={}: {}", key, value, reason));
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

bool is_ipv6(const std::string& host) {
  return host.find(':') != host.npos;
}

Status check_distinct(std::string_view key, const std::vector<Listener>& listeners, bool may_share_ports) {
  for (size_t i = 0; i < listeners.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const Listener &a = listeners[k], &b = listeners[i];
      if (a.name == b.name) return refuse(key, b.name, "each listener must have a different name");
      const bool one_of_each = is_ipv6(a.address.host) != is_ipv6(b.address.host);
      if (!may_share_ports && a.address.port != 0 && a.address.port == b.address.port && !one_of_each) {
        return refuse(key, b.address.text(), "each listener must have a different port");
      }
    }
  }
  return {};
}

}  // namespace

Result<io::Endpoint> parse_address(std::string_view key, std::string_view entry, std::string_view address) {
  io::Endpoint out;
  const size_t colon = address.rfind(':');
  if (colon == address.npos) return refuse(key, entry, "a port is missing, as in PLAINTEXT://localhost:9092");
  const auto port = config::parse_integer(address.substr(colon + 1));
  if (!port || *port < 0 || *port > 65535)
    return refuse(key, entry, "the port is not a number from 0 to 65535");
  std::string_view host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']'))
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != host.npos)
    return refuse(key, entry, "an IPv6 address stands in brackets, as in PLAINTEXT://[::1]:9092");
  out.host = host;
  out.port = static_cast<uint16_t>(*port);
  return out;
}

std::string_view protocol_name(SecurityProtocol protocol) {
  return kProtocolNames[static_cast<size_t>(protocol)];
}

Result<ProtocolMap> parse_protocol_map(std::string_view text) {
  constexpr std::string_view kKey = "listener.security.protocol.map";
  ProtocolMap out;
  for (std::string_view entry : config::split_list(text)) {
    const size_t colon = entry.rfind(':');
    if (colon == entry.npos) return refuse(kKey, entry, "must be of the form NAME:PROTOCOL");
    const std::string protocol = upper(config::trim(entry.substr(colon + 1)));
    const auto at = std::ranges::find(kProtocolNames, protocol);
    if (at == std::end(kProtocolNames)) {
      return refuse(kKey, entry, "the protocol must be one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL");
    }
    out[upper(config::trim(entry.substr(0, colon)))] =
        static_cast<SecurityProtocol>(at - std::begin(kProtocolNames));
  }
  return out;
}

Result<std::vector<Listener>> parse_listeners(std::string_view key, std::string_view text,
                                              const ProtocolMap& map, bool may_share_ports) {
  std::vector<Listener> out;
  for (std::string_view entry : config::split_list(text)) {
    const size_t slashes = entry.find("://");
    if (slashes == entry.npos || slashes == 0) {
      return refuse(key, entry, "must be of the form NAME://host:port, as in PLAINTEXT://localhost:9092");
    }
    Listener listener;
    listener.name = upper(entry.substr(0, slashes));
    TRY_ASSIGN(listener.address, parse_address(key, entry, entry.substr(slashes + 3)));
    const auto protocol = map.find(listener.name);
    if (protocol == map.end()) {
      return refuse(key, entry,
                    fmt::format("no security protocol is given for {}. Add {}:PLAINTEXT, or what fits, to "
                                "listener.security.protocol.map",
                                listener.name, listener.name));
    }
    listener.protocol = protocol->second;
    out.push_back(std::move(listener));
  }
  TRY(check_distinct(key, out, may_share_ports));
  return out;
}

}  // namespace moldau::server
