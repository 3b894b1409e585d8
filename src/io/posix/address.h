// Addresses: from what a configuration or a peer says to what Asio connects and listens to, and back. Any thread.
#pragma once
#include <boost/asio/ip/tcp.hpp>
#include <optional>
#include <vector>

#include "io/transport.h"

namespace moldau::io {

using Tcp = boost::asio::ip::tcp;

// As numbers; an IPv4 address that came in over an IPv6 listener is shown as IPv4.
Endpoint endpoint_of(const Tcp::endpoint& address);

// The address that a host is written as; none: it is a name, which has to be looked up.
std::optional<Tcp::endpoint> numeric(const Endpoint& endpoint);

// "cannot resolve host: reason"
std::unexpected<IoError> resolve_error(const boost::system::error_code& error, const std::string& host);

}  // namespace moldau::io
