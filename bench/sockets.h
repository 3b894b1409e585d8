// Loopback sockets and frames for the benchmark programs. They end the program on any failure: a benchmark that
// goes on after one has no figure to give.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace moldau::bench {

[[noreturn]] void die(const std::string& why);

int64_t now_ns();  // monotonic

struct Address {
  std::string host;
  int port = 0;
};
Address parse_address(std::string_view host_and_port);

int dial(const Address& address);  // blocking, TCP_NODELAY
int listen_on(int port);
void set_nonblocking(int fd);
void write_all(int fd, std::string_view bytes);
std::string read_frame(int fd);  // without its size

// Collects whole frames out of what a non-blocking socket gives. A frame's view is valid until the next call.
class FrameReader {
 public:
  explicit FrameReader(size_t capacity) : buffer_(capacity, '\0') {}

  enum class Read { kMore, kNothing, kClosed };
  Read read_from(int fd);          // kMore: call next() until it is empty, then read again
  bool next(MutableBytes& frame);  // false: the next frame isn't whole yet

 private:
  void make_room();

  std::string buffer_;
  size_t begin_ = 0, end_ = 0;  // bytes that came and are not used yet
};

}  // namespace moldau::bench
