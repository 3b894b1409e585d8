// Address: an IPv4 or IPv6 address with its port, in the 28 bytes that the kernel has for the larger of them.
#pragma once
#include <netinet/in.h>
#include <sys/socket.h>

#include <vector>

#include "io/transport.h"

namespace moldau::io {

class Address {
 public:
  Address() = default;
  static Address of_peer(int descriptor);
  static Address of_local(int descriptor);

  int family() const { return storage_.sin6_family; }
  const sockaddr* data() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t size() const { return family() == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6); }
  sockaddr* fill() { return reinterpret_cast<sockaddr*>(&storage_); }
  static constexpr socklen_t kCapacity = sizeof(sockaddr_in6);

  // As numbers; an IPv4 address that came in over an IPv6 listener is shown as IPv4.
  Endpoint endpoint() const;

 private:
  sockaddr_in6 storage_{};
};

// The addresses of a host, in the order in which they are to be tried. Numbers are answered at once; a name
// may wait for DNS. The empty host is this machine: loopback to connect to, every address to listen on.
IoResult<std::vector<Address>> resolve(const Endpoint& endpoint, bool to_listen);
bool is_numeric(const std::string& host);

}  // namespace moldau::io
