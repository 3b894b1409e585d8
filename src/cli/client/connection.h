// Connection: one connection to a broker. Answers come in the order of the requests; when it is lost, everything that
// waits is told why.
// Owner: the client's lane. Kept alive by its user and by callbacks under way.
#pragma once
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "io/runtime.h"

namespace moldau::cli {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  static constexpr int32_t kLongestFrame = 256 << 20;  // no broker answers more to what this client asks
  using Answer = std::move_only_function<void(io::IoResult<Buffer>)>;
  using Opened = std::move_only_function<void(io::IoResult<std::shared_ptr<Connection>>)>;

  static void open(io::Runtime& runtime, io::Lane& lane, const io::Endpoint& to, Opened opened);
  Connection(io::Endpoint to, std::unique_ptr<io::Socket> socket);

  // `answer` gets a frame without its length; an empty one at once if `answered` is false.
  void send(const Buffer& frame, bool answered, Answer answer);
  void close(io::IoError why);
  bool open() const { return socket_ != nullptr; }

 private:
  void read();
  io::IoResult<size_t> read_some();
  bool take();  // what read_some has got; false: it can't be the Kafka protocol
  void write();
  std::string oddity() const;  // what the other end seems to be

  const io::Endpoint to_;
  std::unique_ptr<io::Socket> socket_;
  io::IoError ended_;  // why there is no socket any more
  std::deque<Answer> waiting_;
  std::string unsent_;
  size_t sent_ = 0;  // of unsent_
  bool writing_ = false;
  std::array<uint8_t, 4> length_{};
  Buffer frame_;
  size_t have_ = 0;  // of the length and the frame behind it
};

}  // namespace moldau::cli
