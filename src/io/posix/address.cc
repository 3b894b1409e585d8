#include "io/posix/address.h"

#include <arpa/inet.h>
#include <netdb.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "io/posix/system_error.h"

namespace moldau::io {

Address Address::of_peer(int descriptor) {
  Address address;
  socklen_t size = kCapacity;
  ::getpeername(descriptor, address.fill(), &size);
  return address;
}

Address Address::of_local(int descriptor) {
  Address address;
  socklen_t size = kCapacity;
  ::getsockname(descriptor, address.fill(), &size);
  return address;
}

Endpoint Address::endpoint() const {
  char text[INET6_ADDRSTRLEN] = "";
  if (family() == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage_);
    ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return {text, ntohs(v4.sin_port)};
  }
  if (family() != AF_INET6) return {};
  const uint16_t port = ntohs(storage_.sin6_port);
  if (IN6_IS_ADDR_V4MAPPED(&storage_.sin6_addr))
    ::inet_ntop(AF_INET, storage_.sin6_addr.s6_addr + 12, text, sizeof text);
  else
    ::inet_ntop(AF_INET6, &storage_.sin6_addr, text, sizeof text);
  return {text, port};
}

bool is_numeric(const std::string& host) {
  in6_addr any;
  return ::inet_pton(AF_INET, host.c_str(), &any) == 1 || ::inet_pton(AF_INET6, host.c_str(), &any) == 1;
}

IoResult<std::vector<Address>> resolve(const Endpoint& endpoint, bool to_listen) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags =
      AI_NUMERICSERV | (to_listen ? AI_PASSIVE : 0) | (is_numeric(endpoint.host) ? AI_NUMERICHOST : 0);
  addrinfo* found = nullptr;
  const char* host = endpoint.host.empty() ? nullptr : endpoint.host.c_str();
  const int failed = ::getaddrinfo(host, std::to_string(endpoint.port).c_str(), &hints, &found);
  if (failed == EAI_SYSTEM) return system_error(errno, "cannot resolve " + endpoint.host);
  if (failed != 0) {
    const auto kind = failed == EAI_NONAME ? IoError::Kind::kNotFound : IoError::Kind::kRefused;
    return std::unexpected(IoError{kind, "cannot resolve " + endpoint.host + ": " + ::gai_strerror(failed)});
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  std::vector<Address> addresses;
  for (const addrinfo* at = found; at; at = at->ai_next) {
    if (at->ai_addrlen > Address::kCapacity) continue;
    std::memcpy(addresses.emplace_back().fill(), at->ai_addr, at->ai_addrlen);
  }
  return addresses;
}

}  // namespace moldau::io
