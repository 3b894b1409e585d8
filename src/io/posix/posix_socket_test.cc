#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <sys/resource.h>

#include "io/posix/address.h"
#include "io/posix/descriptor.h"
#include "io/posix/testdata/posix_world.h"
#include "io/testdata/transport_contract.h"

namespace moldau::io {
namespace {

Endpoint name_of(int descriptor, int (*ask)(int, sockaddr*, socklen_t*)) {
  Tcp::endpoint address;
  auto size = static_cast<socklen_t>(address.capacity());
  return ask(descriptor, address.data(), &size) == 0 ? endpoint_of(address) : Endpoint{};
}

// A listener on lane 0 and plain blocking sockets as its clients.
class PosixSocket : public ::testing::Test {
 protected:
  ~PosixSocket() override {
    world_.on(0, [&] { sockets_.clear(), listener_.reset(); });
  }
  void listen(const std::string& host, std::function<void(Socket&)> accepted = {}) {
    world_.on(0, [&] {
      Lane* const lanes[] = {world_.runtime().lanes()[0]};
      auto listener = world_.runtime().transport().listen(
          {host, 0}, lanes, [this, accepted](Lane&, std::unique_ptr<Socket> socket) {
            sockets_.push_back(std::move(socket));
            if (accepted) accepted(*sockets_.back());
            reach(accepted_);
          });
      ASSERT_TRUE(listener.has_value()) << listener.error().message;
      listener_ = *std::move(listener);
      port_ = listener_->local().port;
    });
  }
  Descriptor client(const std::string& host = "127.0.0.1") {
    const Tcp::endpoint address = *numeric({host, port_});
    Descriptor descriptor(::socket(address.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(descriptor.get(), address.data(), address.size()), 0) << host;
    return descriptor;
  }

  PosixWorld world_;
  std::unique_ptr<Listener> listener_;
  uint16_t port_ = 0;
  std::vector<std::unique_ptr<Socket>> sockets_;  // lane 0's
  std::atomic<int> accepted_ = 0, done_ = 0;
};

TEST_F(PosixSocket, AHalfClosedPeerStillGetsItsAnswer) {
  auto text = std::make_shared<std::string>();
  listen("127.0.0.1", [&](Socket& socket) {
    read_all(socket, text, SIZE_MAX, [&](const IoError* error) {
      EXPECT_EQ(error->kind, IoError::Kind::kClosed);
      write_all(socket, text, 0, [&] { reach(done_); });
    });
  });
  const Descriptor peer = client();
  ASSERT_EQ(::send(peer.get(), "question", 8, 0), 8);
  ASSERT_EQ(::shutdown(peer.get(), SHUT_WR), 0);
  world_.wait(done_, 1);
  char answer[16];
  EXPECT_EQ(::recv(peer.get(), answer, sizeof answer, 0), 8);
}

TEST_F(PosixSocket, AResetIsClosed) {
  auto text = std::make_shared<std::string>();
  listen("127.0.0.1", [&](Socket& socket) {
    read_all(socket, text, SIZE_MAX, [&](const IoError* error) {
      EXPECT_EQ(error->kind, IoError::Kind::kClosed);
      const Bytes bytes = as_bytes("x");
      EXPECT_FALSE(socket.write_some(std::span(&bytes, 1)).has_value());
      reach(done_);
    });
  });
  {
    const Descriptor peer = client();
    world_.wait(accepted_, 1);
    const linger at_once{1, 0};
    ::setsockopt(peer.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  world_.wait(done_, 1);
}

TEST_F(PosixSocket, ASocketThatAnotherOnesCallDestroysIsNotCalled) {
  int called = 0;
  listen("127.0.0.1", [&](Socket& socket) {
    socket.when_readable([&] {
      ++called;
      sockets_.clear();
    });
  });
  const Descriptor one = client(), two = client();
  world_.wait(accepted_, 2);
  world_.on(0, [&] {  // both become readable while the lane is here, so that it hears of both at once
    ASSERT_EQ(::send(one.get(), "1", 1, 0), 1);
    ASSERT_EQ(::send(two.get(), "2", 1, 0), 1);
  });
  char byte;
  EXPECT_LE(::recv(one.get(), &byte, 1, 0), 0);
  EXPECT_LE(::recv(two.get(), &byte, 1, 0), 0);
  world_.on(0, [&] { EXPECT_EQ(called, 1); });
}

TEST_F(PosixSocket, TasksHaveTheirTurnBesideASocketThatIsAlwaysReady) {
  bool busy = true;
  std::function<void()> again = [&] {
    if (busy) sockets_.front()->when_writable([&] { again(); });
  };
  listen("127.0.0.1", [&](Socket&) { again(); });
  const Descriptor peer = client();
  world_.wait(accepted_, 1);
  Lane& lane = *world_.runtime().lanes()[0];
  int left = 100'000;
  std::function<void()> task = [&] {
    if (--left > 0)
      lane.post([&] { task(); });
    else
      reach(done_);
  };
  lane.post([&] { task(); });
  world_.wait(done_, 1);
  world_.on(0, [&] { busy = false; });
  world_.on(0, [&] { sockets_.clear(); });
}

TEST_F(PosixSocket, OutOfDescriptorsAcceptingPausesAndGoesOn) {
  listen("127.0.0.1");
  std::vector<Descriptor> clients;
  for (int i = 0; i < 8; ++i) clients.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  rlimit before;
  ::getrlimit(RLIMIT_NOFILE, &before);
  rlimit tight = before;
  tight.rlim_cur = static_cast<rlim_t>(clients.back().get()) + 3;  // two more
  ::setrlimit(RLIMIT_NOFILE, &tight);
  const Tcp::endpoint address = *numeric({"127.0.0.1", port_});
  for (const Descriptor& peer : clients) EXPECT_EQ(::connect(peer.get(), address.data(), address.size()), 0);
  world_.wait(accepted_, 2);
  world_.on(0, [&] { EXPECT_EQ(accepted_, 2) << "the others wait in the backlog"; });
  ::setrlimit(RLIMIT_NOFILE, &before);
  world_.wait(accepted_, 8);
}

TEST_F(PosixSocket, AcceptedSocketsDontDelayAndKeepAlive) {
  listen("127.0.0.1");
  const Descriptor peer = client();
  world_.wait(accepted_, 1);
  const Endpoint local = name_of(peer.get(), ::getsockname);
  world_.on(0, [&] {
    EXPECT_EQ(sockets_[0]->peer(), local);
    EXPECT_EQ(sockets_[0]->local(), (Endpoint{"127.0.0.1", port_}));
  });
  for (int descriptor = 3; descriptor < 200; ++descriptor) {  // find the server's side
    if (name_of(descriptor, ::getpeername) != local) continue;
    int no_delay = 0, keep_alive = 0;
    socklen_t size = sizeof(int);
    ::getsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &no_delay, &size);
    ::getsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &keep_alive, &size);
    EXPECT_EQ(no_delay, 1);
    EXPECT_EQ(keep_alive, 1);
    return;
  }
  FAIL() << "no such descriptor";
}

TEST_F(PosixSocket, ListeningEverywhereTakesBothFamilies) {
  listen("");
  EXPECT_EQ(listener_->local().host, "");
  const Descriptor four = client("127.0.0.1");
  world_.wait(accepted_, 1);
  world_.on(0, [&] { EXPECT_EQ(sockets_[0]->peer().host, "127.0.0.1") << "not ::ffff:127.0.0.1"; });
  const Descriptor probe(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const Tcp::endpoint six = *numeric({"::1", port_});
  if (!probe || ::connect(probe.get(), six.data(), six.size()) != 0) GTEST_SKIP() << "no IPv6 here";
  world_.wait(accepted_, 2);
  world_.on(0, [&] { EXPECT_EQ(sockets_[1]->peer().host, "::1"); });
}

TEST_F(PosixSocket, ConnectsByName) {
  listen("127.0.0.1");
  std::unique_ptr<Socket> out;
  world_.on(1, [&] {
    world_.runtime().transport().connect(*world_.runtime().lanes()[1], {"localhost", port_},
                                         [&](auto socket) {
                                           EXPECT_TRUE(world_.runtime().lanes()[1]->inside());
                                           ASSERT_TRUE(socket.has_value()) << socket.error().message;
                                           out = *std::move(socket);
                                           reach(done_);
                                         });
  });
  world_.wait(done_, 1);
  world_.wait(accepted_, 1);
  world_.on(1, [&] { out.reset(); });
}

TEST_F(PosixSocket, AnAttemptToConnectGoesWithTheRuntime) {
  auto held = std::make_shared<int>();
  world_.on(0, [&] {  // an address of the documentation range: nobody answers
    world_.runtime().transport().connect(*world_.runtime().lanes()[0], {"192.0.2.1", 9}, [held](auto) {});
  });
  SUCCEED() << "the sanitizers watch the rest";
}

TEST_F(PosixSocket, ThousandsOfEchoesOnBothLanes) {
  struct Echo {
    explicit Echo(std::unique_ptr<Socket> s) : socket(std::move(s)) { go(); }
    void go() {
      uint8_t chunk[512];
      for (;;) {
        const auto n = socket->read_some(chunk);
        if (!n) return;
        if (*n == 0) return socket->when_readable([this] { go(); });
        const Bytes part = Bytes(chunk).first(*n);
        EXPECT_EQ(socket->write_some(std::span(&part, 1)), *n);
      }
    }
    std::unique_ptr<Socket> socket;
  };
  std::vector<std::unique_ptr<Echo>> echoes[2];
  world_.on(0, [&] {
    listener_ = *world_.runtime().transport().listen(
        {"127.0.0.1", 0}, world_.runtime().lanes(), [&](Lane& lane, std::unique_ptr<Socket> socket) {
          echoes[lane.index()].push_back(std::make_unique<Echo>(std::move(socket)));
          reach(accepted_);
        });
    port_ = listener_->local().port;
  });
  std::vector<Descriptor> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(client());
  world_.wait(accepted_, 20);
  for (int round = 0; round < 100; ++round) {
    for (const Descriptor& peer : clients) ASSERT_EQ(::send(peer.get(), "0123456789", 10, 0), 10);
    for (const Descriptor& peer : clients) {
      char answer[10];
      ASSERT_EQ(::recv(peer.get(), answer, sizeof answer, MSG_WAITALL), 10);
    }
  }
  EXPECT_EQ(echoes[0].size(), 10u);
  for (size_t lane = 0; lane < 2; ++lane) world_.on(lane, [&] { echoes[lane].clear(); });
}

}  // namespace
}  // namespace moldau::io
