// The floor: a server that does only what no broker can avoid for the load generator's requests: receive, check the
// checksum, write into the page cache, answer; or sendfile. One thread. Its CPU per GB is the limit to compare a broker
// with. It is no broker: it keeps one file, checks nothing else, and knows Metadata v4, Produce v7 and Fetch v11 only.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/reader.h"
#include "base/writer.h"
#include "bench/floor_file.h"
#include "bench/requests.h"
#include "bench/sockets.h"

namespace moldau::bench {
namespace {

constexpr int32_t kPartitions = 4;
constexpr size_t kReceiveBytes = 1 << 20;

struct Client {
  int fd;
  FrameReader reader{kReceiveBytes};
  std::string out;
  size_t sent = 0;
  FloorFile::Place file;  // follows `out`
};

std::string_view text(Reader& in) {
  return in.text(static_cast<size_t>(in.i16()));
}
void text(Writer& to, std::string_view value) {
  to.i16(static_cast<int16_t>(value.size()));
  to.text(value);
}

void answer_metadata(Reader& in, Writer& out, int port) {
  in.i32();  // one topic
  const std::string_view topic = text(in);
  out.i32(0);  // throttle time
  out.i32(1);  // one broker
  out.i32(1);
  text(out, "127.0.0.1");
  out.i32(port);
  out.i16(-1);  // no rack
  out.i16(-1);  // no cluster id
  out.i32(1);   // controller
  out.i32(1);
  out.i16(0);
  text(out, topic);
  out.i8(0);
  out.i32(kPartitions);
  for (int32_t p = 0; p < kPartitions; ++p) {
    out.i16(0);
    out.i32(p);
    for (int n = 0; n < 5; ++n) out.i32(1);  // leader 1, replicas [1], in sync [1]
  }
}

void answer_produce(Reader& in, Writer& out, FloorFile& file, MutableBytes frame) {
  in.skip(2 + 2 + 4 + 4);  // no transactional id, acks, timeout, one topic
  const std::string_view topic = text(in);
  in.i32();  // one partition
  const int32_t partition = in.i32();
  const auto size = static_cast<size_t>(in.i32());
  int64_t base_offset = -1;
  const bool good = in.remaining() >= size && file.append(frame.subspan(in.position(), size), base_offset);
  out.i32(1);
  text(out, topic);
  out.i32(1);
  out.i32(partition);
  out.i16(good ? 0 : 2);
  out.i64(base_offset);
  out.i64(-1);  // no append time
  out.i64(0);   // log start offset
  out.i32(0);   // throttle time
}

FloorFile::Place answer_fetch(Reader& in, Writer& out, const FloorFile& file) {
  in.skip(4 + 4 + 4 + 4 + 1 + 4 + 4 + 4);
  const std::string_view topic = text(in);
  in.i32();
  const int32_t partition = in.i32();
  in.i32();  // leader epoch
  const int64_t offset = in.i64();
  in.i64();
  const FloorFile::Place place = file.find(offset, in.i32());
  out.i32(0);  // throttle time
  out.i16(0);
  out.i32(0);  // no session
  out.i32(1);
  text(out, topic);
  out.i32(1);
  out.i32(partition);
  out.i16(0);
  for (int n = 0; n < 2; ++n) out.i64(INT64_MAX);  // high watermark, last stable offset
  out.i64(0);
  out.i32(-1);  // no aborted transactions
  out.i32(-1);  // no preferred replica
  out.i32(static_cast<int32_t>(place.bytes));
  return place;
}

class Floor {
 public:
  Floor(int port, const std::string& path) : port_(port), file_(path), listener_(listen_on(port)) {}

  [[noreturn]] void run() {
    watch(listener_, EPOLLIN, nullptr);
    epoll_event events[64];
    for (;;) {
      const int n = epoll_wait(poller_, events, 64, -1);
      for (int i = 0; i < n; ++i) {
        auto* client = static_cast<Client*>(events[i].data.ptr);
        if (!client) {
          accept_one();
        } else if (!serve(*client)) {
          close(client->fd);
          delete client;
        }
      }
    }
  }

 private:
  void watch(int fd, uint32_t what, Client* client) {
    epoll_event interest{what, {.ptr = client}};
    epoll_ctl(poller_, EPOLL_CTL_ADD, fd, &interest);
  }

  void accept_one() {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    watch(fd, EPOLLIN | EPOLLOUT | EPOLLET, new Client{fd});
  }

  // False: the client is gone.
  bool serve(Client& client) {
    for (;;) {
      const auto read = client.reader.read_from(client.fd);
      if (read == FrameReader::Read::kClosed) return false;
      MutableBytes frame;
      while (client.reader.next(frame)) answer(client, frame);
      if (!flush(client)) return false;
      if (read == FrameReader::Read::kNothing) return true;
    }
  }

  void answer(Client& client, MutableBytes frame) {
    Reader in(frame);
    const int16_t api = in.i16();
    in.i16();
    Writer out;
    out.i32(0);  // size
    out.i32(in.i32());
    text(in);  // client id
    if (api == kMetadata) answer_metadata(in, out, port_);
    if (api == kProduce) answer_produce(in, out, file_, frame);
    if (api == kFetch) client.file = answer_fetch(in, out, file_);
    out.patch_i32(0, static_cast<int32_t>(out.size()) - 4 + static_cast<int32_t>(client.file.bytes));
    client.out += as_text(out.view());
  }

  // A client has one fetch in flight: its file bytes follow everything that was queued.
  bool flush(Client& client) {
    while (client.sent < client.out.size()) {
      const int more = client.file.bytes > 0 ? MSG_MORE : 0;
      const ssize_t n = send(client.fd, client.out.data() + client.sent, client.out.size() - client.sent,
                             MSG_NOSIGNAL | more);
      if (n < 0) return errno == EAGAIN;
      client.sent += static_cast<size_t>(n);
    }
    client.out.clear();
    client.sent = 0;
    while (client.file.bytes > 0) {
      off_t at = client.file.at;
      const ssize_t n = sendfile(client.fd, file_.fd(), &at, static_cast<size_t>(client.file.bytes));
      if (n <= 0) return n < 0 && errno == EAGAIN;
      client.file.at += n;
      client.file.bytes -= n;
    }
    return true;
  }

  const int port_;
  FloorFile file_;
  const int listener_;
  const int poller_ = epoll_create1(EPOLL_CLOEXEC);
};

}  // namespace
}  // namespace moldau::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: floor PORT FILE\n", stderr);
    return 2;
  }
  moldau::bench::Floor(std::atoi(argv[1]), argv[2]).run();
}
