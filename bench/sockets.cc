#include "bench/sockets.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/endian.h"

namespace moldau::bench {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<uint16_t>(port));
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return at;
}

void read_all(int fd, char* to, size_t size) {
  while (size > 0) {
    const ssize_t got = read(fd, to, size);
    if (got <= 0) die("the broker closed the connection");
    to += got;
    size -= static_cast<size_t>(got);
  }
}

}  // namespace

void die(const std::string& why) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, why.c_str());
  std::exit(1);
}

int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

Address parse_address(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) die("no port in " + std::string(text));
  return {std::string(text.substr(0, colon)), std::atoi(std::string(text.substr(colon + 1)).c_str())};
}

int dial(const Address& address) {
  sockaddr_in at = loopback(address.port);
  if (address.host != "localhost" && inet_pton(AF_INET, address.host.c_str(), &at.sin_addr) != 1)
    die("not an IPv4 address: " + address.host);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0)
    die("cannot connect to " + address.host + ":" + std::to_string(address.port) + ": " +
        std::strerror(errno));
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

int listen_on(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in at = loopback(port);
  if (bind(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 || listen(fd, 128) != 0)
    die("cannot listen on port " + std::to_string(port) + ": " + std::strerror(errno));
  return fd;
}

void set_nonblocking(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) die("send: " + std::string(std::strerror(errno)));
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

std::string read_frame(int fd) {
  char raw[4];
  read_all(fd, raw, sizeof raw);
  std::string frame(static_cast<size_t>(load_be<int32_t>(reinterpret_cast<uint8_t*>(raw))), '\0');
  read_all(fd, frame.data(), frame.size());
  return frame;
}

FrameReader::Read FrameReader::read_from(int fd) {
  make_room();
  const ssize_t got = recv(fd, buffer_.data() + end_, buffer_.size() - end_, 0);
  if (got > 0) {
    end_ += static_cast<size_t>(got);
    return Read::kMore;
  }
  return got < 0 && errno == EAGAIN ? Read::kNothing : Read::kClosed;
}

bool FrameReader::next(MutableBytes& frame) {
  auto* at = reinterpret_cast<uint8_t*>(buffer_.data()) + begin_;
  if (end_ - begin_ < 4) return false;
  const auto size = static_cast<size_t>(load_be<int32_t>(at));
  if (end_ - begin_ < 4 + size) return false;
  frame = {at + 4, size};
  begin_ += 4 + size;
  return true;
}

// Moves what is left to the front, and grows until the frame that has begun fits.
void FrameReader::make_room() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ >= 4) {
    const size_t whole =
        4 + static_cast<size_t>(load_be<int32_t>(reinterpret_cast<uint8_t*>(buffer_.data())));
    if (whole > buffer_.size()) buffer_.resize(whole);
  }
}

}  // namespace moldau::bench
