#include "admin/http_server.h"

#include <gtest/gtest.h>

#include <optional>

#include "sim/sim_world.h"

namespace moldau::admin {
namespace {

using namespace std::chrono_literals;

void write_all(io::Socket& socket, std::shared_ptr<std::string> text, size_t from) {
  while (from < text->size()) {
    const Bytes rest = as_bytes(*text).subspan(from);
    const auto sent = socket.write_some(std::span(&rest, 1));
    if (!sent) return;
    from += *sent;
    if (*sent == 0) return socket.when_writable([&socket, text, from] { write_all(socket, text, from); });
  }
}

void read_all(io::Socket& socket, std::shared_ptr<std::string> into, std::function<void()> ended) {
  uint8_t chunk[3000];
  for (;;) {
    const auto count = socket.read_some(MutableBytes(chunk));
    if (!count) return ended();
    if (*count == 0) return socket.when_readable([&socket, into, ended] { read_all(socket, into, ended); });
    into->append(as_text(Bytes(chunk).first(*count)));
  }
}

class EchoPath : public HttpHandler {
 public:
  void get(std::string_view path, Done done) override {
    if (path == "/later") {
      later = std::move(done);
    } else if (path == "/nothing") {
      done({204, {}, {}});
    } else {
      done({200, "text/plain", std::string(path)});
    }
  }
  Done later;
};

class HttpServerTest : public ::testing::Test {
 protected:
  HttpServerTest() : world_({}), client_(world_.add_node("client")), machine_(world_.add_node("server")) {
    machine_.post([this] {
      server_.emplace(*machine_.runtime().lanes()[0], handler_);
      ASSERT_TRUE(server_->listen(machine_.runtime().transport(), {"", 80}));
    });
    world_.run_for(1s);
    client_.post([this] {
      client_.runtime().transport().connect(*client_.runtime().lanes()[0], {"server", 80},
                                            [this](auto socket) {
                                              socket_ = *std::move(socket);
                                              read_all(*socket_, received_, [this] { ended_ = true; });
                                            });
    });
    world_.run_for(1s);
  }
  ~HttpServerTest() override {
    client_.post([this] { socket_.reset(); });
    machine_.post([this] { server_.reset(); });
    world_.run_for(1s);
  }
  // What is answered to these bytes.
  std::string answer(const std::string& request) {
    received_->clear();
    client_.post([this, request] { write_all(*socket_, std::make_shared<std::string>(request), 0); });
    world_.run_for(1s);
    return *received_;
  }

  sim::SimWorld world_;
  sim::SimNode& client_;
  sim::SimNode& machine_;
  EchoPath handler_;
  std::optional<HttpServer> server_;
  std::unique_ptr<io::Socket> socket_;
  std::shared_ptr<std::string> received_ = std::make_shared<std::string>();
  bool ended_ = false;
};

TEST_F(HttpServerTest, AnswersOneAfterAnotherOnOneConnection) {
  EXPECT_EQ(answer("GET /a?x=1 HTTP/1.1\r\nHost: x\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\n/a");
  EXPECT_EQ(answer("HEAD /abc HTTP/1.1\r\nHost: x\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Type: text/plain\r\n\r\n");
  EXPECT_EQ(answer("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n"), "HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_FALSE(ended_);
}

TEST_F(HttpServerTest, RequestsMayComeInPiecesOrTogether) {
  EXPECT_EQ(answer("GET /a HT"), "");
  const std::string one = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\n";
  EXPECT_EQ(answer("TP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\n\r\n"), one + "/a" + one + "/b");
}

TEST_F(HttpServerTest, AnAnswerMayComeLater) {
  EXPECT_EQ(answer("GET /later HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n"), "");
  machine_.post([this] { handler_.later({200, "text/plain", std::string(3 << 20, 'x')}); });
  world_.run_for(10s);
  EXPECT_GT(received_->size(), size_t{3 << 20});
  EXPECT_TRUE(received_->ends_with("\r\n\r\n/b"));
}

TEST_F(HttpServerTest, AClientThatLeavesMeanwhileIsNoTrouble) {
  answer("GET /later HTTP/1.1\r\n\r\n");
  client_.post([this] { socket_.reset(); });
  world_.run_for(1s);
  machine_.post([this] { handler_.later({200, "text/plain", std::string(3 << 20, 'x')}); });
  world_.run_for(1s);
}

TEST_F(HttpServerTest, ClosesWhenItIsToldTo) {
  EXPECT_TRUE(answer("GET /a HTTP/1.0\r\n\r\n").ends_with("Connection: close\r\n\r\n/a"));
  EXPECT_TRUE(ended_);
}

TEST_F(HttpServerTest, RefusesWhatItDoesNotDo) {
  const std::string refused = answer("DELETE /a HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 405 Method Not Allowed\r\n")) << refused;
  EXPECT_NE(refused.find("Allow: GET, HEAD\r\n"), std::string::npos);
  EXPECT_FALSE(ended_);
  EXPECT_TRUE(answer("POST /a HTTP/1.1\r\nContent-Length: 5\r\n\r\n").starts_with("HTTP/1.1 413"));
  EXPECT_TRUE(ended_);
}

TEST_F(HttpServerTest, ClosesOnRubbish) {
  EXPECT_TRUE(answer(std::string("\x00\x00\x00\x05hello\r\n\r\n", 13)).starts_with("HTTP/1.1 400"));
  EXPECT_TRUE(ended_);
}

TEST_F(HttpServerTest, ClosesOnAHeadWithoutEnd) {
  EXPECT_TRUE(answer("GET /a HTTP/1.1\r\nX: " + std::string(20'000, 'x')).starts_with("HTTP/1.1 400"));
  EXPECT_TRUE(ended_);
}

TEST_F(HttpServerTest, ClosesWhoIsIdle) {
  world_.run_for(HttpServer::kMostIdle + 2s);
  EXPECT_TRUE(ended_);
}

}  // namespace
}  // namespace moldau::admin
