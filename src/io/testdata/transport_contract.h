// What every io::Transport does: one suite, run on the real one (io/posix) and on the simulated one (sim).
// World as in runtime_contract.h, with `std::string host()`, a name of the machine, and `std::string
// directory()` for files.
#pragma once
#include "io/testdata/runtime_contract.h"

namespace moldau::io {

// Writes `text` to a socket, then calls `done`. Keeps itself alive.
inline void write_all(Socket& socket, std::shared_ptr<std::string> text, size_t from,
                      std::function<void()> done) {
  while (from < text->size()) {
    const Bytes rest = as_bytes(std::string_view(*text).substr(from));
    const auto n = socket.write_some(std::span(&rest, 1));
    if (!n) return;
    if (*n == 0)
      return socket.when_writable([&socket, text, from, done] { write_all(socket, text, from, done); });
    from += *n;
  }
  done();
}

// Reads until `enough` bytes are there or the connection ends, then calls `done`.
inline void read_all(Socket& socket, std::shared_ptr<std::string> into, size_t enough,
                     std::function<void(const IoError*)> done) {
  uint8_t chunk[3000];
  while (into->size() < enough) {
    const auto n = socket.read_some(MutableBytes(chunk).first(std::min(sizeof chunk, enough - into->size())));
    if (!n) return done(&n.error());
    if (*n == 0)
      return socket.when_readable([&socket, into, enough, done] { read_all(socket, into, enough, done); });
    into->append(as_text(Bytes(chunk).first(*n)));
  }
  done(nullptr);
}

inline std::string numbers(size_t bytes) {  // of which no two parts are alike
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += std::to_string(i) + ",";
  text.resize(bytes);
  return text;
}

template <class World>
class TransportContract : public ::testing::Test {
 protected:
  ~TransportContract() override {
    for (size_t i = 0; i < 2; ++i) on(lane(i), [&] { client_.reset(), server_.reset(), listener_.reset(); });
  }
  Lane& lane(size_t index = 0) { return *world_.runtime().lanes()[index]; }
  Transport& transport() { return world_.runtime().transport(); }
  void on(Lane& lane, Task task) {
    std::atomic<int> done = 0;
    lane.post([&] { task(), reach(done); });
    world_.wait(done, 1);
  }
  void listen(Transport::Accepted accepted) {
    on(lane(), [&] {
      Lane* const lanes[] = {&lane(0)};
      auto listener = transport().listen({world_.host(), 0}, lanes, std::move(accepted));
      ASSERT_TRUE(listener.has_value()) << listener.error().message;
      listener_ = *std::move(listener);
      at_ = listener_->local();
    });
  }
  void connect(std::function<void(Socket&)> connected) {
    lane().post([this, connected] {
      transport().connect(lane(), at_, [this, connected](IoResult<std::unique_ptr<Socket>> socket) {
        ASSERT_TRUE(socket.has_value()) << socket.error().message;
        EXPECT_TRUE(lane().inside());
        client_ = *std::move(socket);
        connected(*client_);
      });
    });
  }
  // Waits until lane 0 is done with what the test's frame holds.
  void settle() {
    on(lane(), [] {});
  }
  // Waits for the error of a connection attempt.
  IoError refusal(const Endpoint& to) {
    IoError error;
    std::atomic<int> done = 0;
    lane().post([&] {
      transport().connect(lane(), to, [&](IoResult<std::unique_ptr<Socket>> socket) {
        EXPECT_FALSE(socket.has_value());
        if (!socket) error = socket.error();
        reach(done);
      });
    });
    world_.wait(done, 1);
    return error;
  }

  World world_;
  Endpoint at_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<Socket> client_;  // on lane 0, as is the other end
  std::unique_ptr<Socket> server_;
  std::atomic<int> done_ = 0;
};
TYPED_TEST_SUITE_P(TransportContract);

TYPED_TEST_P(TransportContract, BytesGoBothWaysInOrder) {
  auto text = std::make_shared<std::string>(numbers(1 << 20));
  auto at_server = std::make_shared<std::string>(), at_client = std::make_shared<std::string>();
  this->listen([&](Lane& lane, std::unique_ptr<Socket> socket) {
    EXPECT_TRUE(lane.inside());
    EXPECT_EQ(socket->local().port, this->at_.port);
    this->server_ = std::move(socket);
    read_all(*this->server_, at_server, text->size(), [&](auto error) {
      EXPECT_FALSE(error);
      write_all(*this->server_, at_server, 0, [&] { reach(this->done_); });
    });
  });
  this->connect([&](Socket& socket) {
    write_all(socket, text, 0, [&] { reach(this->done_); });
    read_all(socket, at_client, text->size(), [&](auto error) {
      EXPECT_FALSE(error);
      reach(this->done_);
    });
  });
  this->world_.wait(this->done_, 3);
  EXPECT_TRUE(*at_server == *text);
  EXPECT_TRUE(*at_client == *text);
  this->on(this->lane(), [&] {
    EXPECT_EQ(this->client_->peer(), this->server_->local());
    EXPECT_EQ(this->client_->local(), this->server_->peer());
    EXPECT_EQ(this->client_->peer().port, this->at_.port);
  });
}

TYPED_TEST_P(TransportContract, AReaderThatWaitsHoldsTheWriterBack) {
  size_t written = 0;
  auto received = std::make_shared<std::string>();
  this->listen(
      [&](Lane&, std::unique_ptr<Socket> socket) { this->server_ = std::move(socket), reach(this->done_); });
  std::string text;
  std::function<void()> fill = [&] {
    for (;;) {
      const std::string part = numbers(10'000);
      const Bytes bytes = as_bytes(part);
      const auto n = this->client_->write_some(std::span(&bytes, 1));
      ASSERT_TRUE(n.has_value());
      if (*n == 0) break;
      text += part.substr(0, *n);
      written += *n;
      ASSERT_LT(written, size_t{64} << 20) << "no back-pressure";
    }
    reach(this->done_);
  };
  this->connect([&](Socket&) { fill(); });
  this->world_.wait(this->done_, 2);
  this->on(this->lane(), [&] {
    EXPECT_GT(written, 0u);
    read_all(*this->server_, received, written, [&](auto error) {
      EXPECT_FALSE(error);
      this->client_->when_writable([&] { reach(this->done_); });
    });
  });
  this->world_.wait(this->done_, 3);
  this->settle();
  EXPECT_TRUE(*received == text);
}

TYPED_TEST_P(TransportContract, ClosingDeliversWhatWasWritten) {
  auto text = std::make_shared<std::string>(numbers(100'000)), received = std::make_shared<std::string>();
  this->listen([&](Lane&, std::unique_ptr<Socket> socket) {
    this->server_ = std::move(socket);
    write_all(*this->server_, text, 0, [&] { this->server_.reset(); });
  });
  this->connect([&](Socket& socket) {
    read_all(socket, received, SIZE_MAX, [&](auto error) {
      EXPECT_EQ(error->kind, IoError::Kind::kClosed);
      uint8_t byte;
      EXPECT_FALSE(this->client_->read_some({&byte, 1}).has_value()) << "it stays closed";
      reach(this->done_);
    });
  });
  this->world_.wait(this->done_, 1);
  EXPECT_TRUE(*received == *text);
}

TYPED_TEST_P(TransportContract, WritingToAClosedPeerFails) {
  this->listen([&](Lane&, std::unique_ptr<Socket> socket) { socket.reset(); });
  std::function<void()> push = [&] {
    for (;;) {
      const Bytes bytes = as_bytes("anybody there?");
      const auto n = this->client_->write_some(std::span(&bytes, 1));
      if (!n) {
        EXPECT_EQ(n.error().kind, IoError::Kind::kClosed);
        return reach(this->done_);
      }
      if (*n == 0) return this->client_->when_writable(push);
      return this->lane().post(push);
    }
  };
  this->connect([&](Socket&) { push(); });
  this->world_.wait(this->done_, 1);
  this->settle();
}

TYPED_TEST_P(TransportContract, SendsAFile) {
  const std::string path = this->world_.directory() + "/sent";
  auto text = std::make_shared<std::string>(numbers(300'000)), received = std::make_shared<std::string>();
  std::shared_ptr<File> file;
  this->on(this->lane(), [&] {
    file = *this->world_.runtime().files().open(path, OpenMode::kTruncate);
    ASSERT_TRUE(file->write_at(0, as_bytes(*text)).has_value());
  });
  int64_t position = 1000;
  std::function<void()> send = [&] {
    while (position < static_cast<int64_t>(text->size())) {
      const auto n = this->server_->send_file(*file, position, static_cast<int64_t>(text->size()) - position);
      ASSERT_TRUE(n.has_value()) << n.error().message;
      if (*n == 0) return this->server_->when_writable(send);
      position += static_cast<int64_t>(*n);
    }
    const auto beyond = this->server_->send_file(*file, position, 10);
    EXPECT_FALSE(beyond.has_value()) << "the end of the file is an error, not a wait";
  };
  this->listen([&](Lane&, std::unique_ptr<Socket> socket) { this->server_ = std::move(socket), send(); });
  this->connect([&](Socket& socket) {
    read_all(socket, received, text->size() - 1000, [&](auto error) {
      EXPECT_FALSE(error);
      reach(this->done_);
    });
  });
  this->world_.wait(this->done_, 1);
  this->settle();
  EXPECT_TRUE(*received == text->substr(1000));
}

TYPED_TEST_P(TransportContract, ADestroyedSocketForgetsItsWaits) {
  bool ran = false;
  this->listen([&](Lane&, std::unique_ptr<Socket> socket) { this->server_ = std::move(socket); });
  this->connect([&](Socket& socket) {
    socket.when_readable([&] { ran = true; });
    socket.when_writable([&] { ran = true; });  // ready at once
    EXPECT_FALSE(ran) << "never from inside the call";
    this->client_.reset();
    this->lane().post([&] { this->lane().post([&] { reach(this->done_); }); });
  });
  this->world_.wait(this->done_, 1);
  EXPECT_FALSE(ran);
}

TYPED_TEST_P(TransportContract, ASocketMayGoInItsOwnWait) {
  this->listen([&](Lane&, std::unique_ptr<Socket> socket) { this->server_ = std::move(socket); });
  this->connect([&](Socket& socket) {
    socket.when_writable([&] {
      this->client_.reset();
      reach(this->done_);
    });
  });
  this->world_.wait(this->done_, 1);
}

TYPED_TEST_P(TransportContract, SocketsGoToTheLanesInTurn) {
  std::atomic<int> taken[2] = {0, 0};
  std::unique_ptr<Listener> listener;
  std::vector<std::unique_ptr<Socket>> clients;
  Endpoint at;
  this->on(this->lane(), [&] {
    auto made = this->transport().listen({this->world_.host(), 0}, this->world_.runtime().lanes(),
                                         [&](Lane& lane, std::unique_ptr<Socket>) {
                                           EXPECT_TRUE(lane.inside());
                                           ++taken[lane.index()];
                                           reach(this->done_);
                                         });
    ASSERT_TRUE(made.has_value()) << made.error().message;
    listener = *std::move(made);
    at = listener->local();
    for (int i = 0; i < 6; ++i) {
      this->transport().connect(this->lane(), at, [&](auto socket) {
        ASSERT_TRUE(socket.has_value()) << socket.error().message;
        clients.push_back(*std::move(socket));
        reach(this->done_);
      });
    }
  });
  this->world_.wait(this->done_, 12);
  EXPECT_EQ(taken[0], 3);
  EXPECT_EQ(taken[1], 3);
  this->on(this->lane(), [&] { clients.clear(), listener.reset(); });
}

TYPED_TEST_P(TransportContract, Refusals) {
  this->listen([](Lane&, std::unique_ptr<Socket>) {});
  const std::string text = this->at_.text();
  this->on(this->lane(), [&] {
    Lane* const lanes[] = {&this->lane(0)};
    auto second = this->transport().listen(this->at_, lanes, [](Lane&, std::unique_ptr<Socket>) {});
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().kind, IoError::Kind::kBusy);
    EXPECT_NE(second.error().message.find(text), std::string::npos) << second.error().message;
    this->listener_.reset();
  });
  const IoError refused = this->refusal(this->at_);
  EXPECT_EQ(refused.kind, IoError::Kind::kRefused);
  EXPECT_NE(refused.message.find(text), std::string::npos) << refused.message;
  EXPECT_NE(this->refusal({"no-such-host.invalid", 9092}).message.find("no-such-host.invalid"),
            std::string::npos);
}

REGISTER_TYPED_TEST_SUITE_P(TransportContract, BytesGoBothWaysInOrder, AReaderThatWaitsHoldsTheWriterBack,
                            ClosingDeliversWhatWasWritten, WritingToAClosedPeerFails, SendsAFile,
                            ADestroyedSocketForgetsItsWaits, ASocketMayGoInItsOwnWait,
                            SocketsGoToTheLanesInTurn, Refusals);

}  // namespace moldau::io
