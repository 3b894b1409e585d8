#include "io/posix/address.h"

#include "io/posix/system_error.h"

namespace moldau::io {
namespace ip = boost::asio::ip;

Endpoint endpoint_of(const Tcp::endpoint& address) {
  ip::address host = address.address();
  if (host.is_v6()) {
    ip::address_v6 six = host.to_v6();
    six.scope_id(0);  // an interface of this machine, of no use to others
    host = six;
    if (six.is_v4_mapped()) host = ip::make_address_v4(ip::v4_mapped, six);
  }
  return {host.to_string(), address.port()};
}

std::optional<Tcp::endpoint> numeric(const Endpoint& endpoint) {
  boost::system::error_code error;
  const ip::address host = ip::make_address(endpoint.host, error);
  if (error) return std::nullopt;
  return Tcp::endpoint(host, endpoint.port);
}

std::unexpected<IoError> resolve_error(const boost::system::error_code& error, const std::string& host) {
  auto kind = IoError::Kind::kRefused;
  if (error == boost::asio::error::host_not_found) kind = IoError::Kind::kNotFound;
  if (error.category() == boost::system::system_category()) kind = kind_of(error.value());
  return std::unexpected(IoError{kind, "cannot resolve " + host + ": " + error.message()});
}

}  // namespace moldau::io
