// Connections in the simulated world: their order, their limits, their end.
#include "net/connection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "base/endian.h"
#include "net/connection_table.h"
#include "sim/sim_world.h"

namespace moldau::net {
namespace {

constexpr uint16_t kPort = 9092;
constexpr size_t kSocketBuffers = 1 << 20;  // what the simulated network holds between two nodes, at most

// Requests are one letter and a number: 'p' may overlap, 'x' may not. Answers wait until the test lets them go.
class TestHandler final : public api::RequestHandler {
 public:
  struct Pending {
    std::string text;
    api::Responder responder;
  };
  void handle(api::Request request, api::Responder responder) override {
    const std::string text(as_text(request.frame));
    seen.push_back(text);
    if (at_once)
      answer(text, responder);
    else
      pending.push_back({text, std::move(responder)});
  }
  bool may_overlap(Bytes frame) const override { return !frame.empty() && frame[0] == 'p'; }
  void answer_nth(size_t n) {
    Pending one = std::move(pending[n]);
    pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(n));
    answer(one.text, one.responder);
  }

  std::vector<std::string> seen;
  std::deque<Pending> pending;
  bool at_once = false;
  size_t answer_bytes = 0;  // larger answers than the echo

 private:
  void answer(const std::string& text, api::Responder& responder) const {
    if (text == "silent") return responder.send_nothing();
    if (text == "close") return responder.close("asked for");
    api::Response response;
    response.bytes = Buffer::allocate(4 + std::max(text.size(), answer_bytes));
    std::fill_n(response.bytes.data() + 4, response.bytes.size() - 4, '.');
    std::copy(text.begin(), text.end(), response.bytes.data() + 4);
    responder.send(std::move(response));
  }
};

std::string framed(std::string_view text) {
  std::string out(4, '\0');
  store_be<int32_t>(reinterpret_cast<uint8_t*>(out.data()), static_cast<int32_t>(text.size()));
  return out + std::string(text);
}

// A client that sends what it is told and collects what comes.
class TestClient {
 public:
  TestClient(sim::SimNode& node) : node_(node) {}
  void connect() {
    node_.post([this] {
      node_.runtime().transport().connect(*node_.runtime().lanes()[0], {"server", kPort},
                                          [this](io::IoResult<std::unique_ptr<io::Socket>> s) {
                                            if (!s) return;
                                            socket_ = std::move(*s);
                                            connected_ = true;
                                            read();
                                          });
    });
  }
  bool connected() const { return connected_; }
  void send(std::string bytes) {
    unsent_ += bytes;
    node_.post([this] { write(); });
  }
  void stop_reading() { reading_ = false; }
  void read_on() {
    reading_ = true;
    node_.post([this] { read(); });
  }
  void disconnect() {
    node_.post([this] { socket_.reset(); });
  }
  // The answers so far; larger ones by their first letters.
  const std::vector<std::string>& answers() const { return answers_; }
  bool closed() const { return closed_; }
  size_t unsent() const { return unsent_.size(); }

 private:
  void read() {
    while (socket_ && reading_) {
      uint8_t chunk[4096];
      const auto n = socket_->read_some(MutableBytes(chunk));
      if (!n) return closed_ = true, socket_.reset();
      received_.append(reinterpret_cast<char*>(chunk), *n);
      take_answers();
      if (*n == 0) return socket_->when_readable([this] { read(); });
    }
  }
  void take_answers() {
    size_t at = 0;
    while (received_.size() - at >= 4) {
      const auto size =
          static_cast<size_t>(load_be<int32_t>(reinterpret_cast<const uint8_t*>(received_.data() + at)));
      if (received_.size() - at < 4 + size) break;
      const std::string_view text = std::string_view(received_).substr(at + 4, size);
      answers_.emplace_back(text.substr(0, text.find('.')));
      at += 4 + size;
    }
    received_.erase(0, at);
  }
  void write() {
    while (socket_ && !unsent_.empty()) {
      const Bytes part = as_bytes(unsent_);
      const auto n = socket_->write_some(std::span(&part, 1));
      if (!n) return;
      unsent_.erase(0, *n);
      if (*n > 0) continue;
      if (!waiting_) socket_->when_writable([this] { waiting_ = false, write(); });
      waiting_ = true;
      return;
    }
  }
  sim::SimNode& node_;
  std::unique_ptr<io::Socket> socket_;
  std::string unsent_, received_;
  std::vector<std::string> answers_;
  bool connected_ = false, reading_ = true, closed_ = false, waiting_ = false;
};

class ConnectionTest : public testing::TestWithParam<uint64_t> {
 protected:
  struct Server final : sim::Process {
    Server(io::Runtime& runtime, ConnectionTest& test) {
      table = std::make_unique<ConnectionTable>(*runtime.lanes()[0], runtime.pool(), runtime.logger(),
                                                test.options, std::make_shared<ConnectionLimits>(test.limits),
                                                test.handler);
      listener = std::move(*runtime.transport().listen(
          {"server", kPort}, runtime.lanes(),
          [this](io::Lane&, std::unique_ptr<io::Socket> s) { table->add(std::move(s), "PLAINTEXT"); }));
    }
    std::unique_ptr<ConnectionTable> table;
    std::unique_ptr<io::Listener> listener;
  };

  void start() {
    server = &world.add_node(
        "server", [this](io::Runtime& runtime) { return std::make_unique<Server>(runtime, *this); },
        {.lanes = 1});
    machine = &world.add_node("client", {}, {.lanes = 1});
    world.on_log([this](sim::SimNode&, io::Level, std::string_view, std::string_view line) {
      log.emplace_back(line);
    });
  }
  TestClient& client() {
    auto& c = *clients.emplace_back(std::make_unique<TestClient>(*machine));
    c.connect();
    EXPECT_TRUE(until([&] { return c.connected(); }));
    return c;
  }
  ConnectionTable& table() { return *server->process<Server>().table; }
  bool until(const std::function<bool()>& done, Duration limit = std::chrono::seconds(60)) {
    return world.run_until(done, limit);
  }
  void on_server(io::Task task) { server->post(std::move(task)); }
  // Answers that were never let go hold their connection, clients their sockets: both need the world.
  void TearDown() override {
    handler.pending.clear();
    clients.clear();
  }

  TestHandler handler;
  ConnectionOptions options;
  ConnectionLimits::Options limits;
  std::vector<std::string> log;
  std::vector<std::unique_ptr<TestClient>> clients;
  sim::SimWorld world{sim::WorldOptions{.seed = GetParam()}};
  sim::SimNode* server = nullptr;
  sim::SimNode* machine = nullptr;
};

TEST_P(ConnectionTest, N1_AnswersLeaveInTheOrderOfRequests) {
  start();
  TestClient& c = client();
  for (int i = 0; i < 20; ++i) c.send(framed("p" + std::to_string(i)));
  ASSERT_TRUE(until([&] { return handler.pending.size() == 20; }));
  on_server([this] {
    while (!handler.pending.empty()) handler.answer_nth(world.workload().below(handler.pending.size()));
  });
  ASSERT_TRUE(until([&] { return c.answers().size() == 20; }));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(c.answers()[static_cast<size_t>(i)], "p" + std::to_string(i));
}

TEST_P(ConnectionTest, N2_OnlyRequestsThatMayOverlapAreHandledTogether) {
  start();
  TestClient& c = client();
  for (const char* text : {"p0", "p1", "x2", "p3", "p4", "x5", "x6"}) c.send(framed(text));
  const std::vector<std::vector<std::string>> waves = {{"p0", "p1"}, {"x2"}, {"p3", "p4"}, {"x5"}, {"x6"}};
  for (const auto& wave : waves) {
    ASSERT_TRUE(until([&] { return handler.pending.size() == wave.size(); }));
    world.run_for(std::chrono::seconds(1));
    ASSERT_EQ(handler.pending.size(), wave.size());
    for (size_t i = 0; i < wave.size(); ++i) EXPECT_EQ(handler.pending[i].text, wave[i]);
    on_server([this] {
      for (size_t n = handler.pending.size(); n > 0; --n) handler.answer_nth(n - 1);
    });
  }
  ASSERT_TRUE(until([&] { return c.answers().size() == 7; }));
}

TEST_P(ConnectionTest, SilentRequestsTakeTheirPlaceAndLeaveNothing) {
  handler.at_once = true;
  start();
  TestClient& c = client();
  for (const char* text : {"silent", "x1", "silent", "silent", "x2"}) c.send(framed(text));
  ASSERT_TRUE(until([&] { return c.answers().size() == 2; }));
  EXPECT_EQ(c.answers(), (std::vector<std::string>{"x1", "x2"}));
}

TEST_P(ConnectionTest, ARequestThatCantBeAnsweredClosesTheConnectionWithALine) {
  handler.at_once = true;
  start();
  TestClient& c = client();
  c.send(framed("close") + framed("x1"));
  ASSERT_TRUE(until([&] { return c.closed(); }));
  ASSERT_EQ(log.size(), 1u);
  EXPECT_NE(log[0].find("asked for"), std::string::npos);
  EXPECT_EQ(table().size(), 0u);
}

TEST_P(ConnectionTest, LengthsThatMakeNoSenseCloseItAndSayWhatTheyLookLike) {
  start();
  TestClient& http = client();
  http.send("GET / HTTP/1.1\r\n");
  ASSERT_TRUE(until([&] { return http.closed(); }));
  EXPECT_NE(log.back().find("HTTP"), std::string::npos);
  TestClient& tls = client();
  tls.send(std::string("\x16\x03\x01\x02\x00\x01", 6));
  ASSERT_TRUE(until([&] { return tls.closed(); }));
  EXPECT_NE(log.back().find("TLS"), std::string::npos);
}

TEST_P(ConnectionTest, N3_AClientThatDoesntReadIsNotReadEither) {
  handler.at_once = true;
  handler.answer_bytes = 64 << 10;
  start();
  TestClient& c = client();
  c.stop_reading();
  // Small ones, so that many come in one chunk.
  std::string requests;
  for (int i = 0; i < 300; ++i) requests += framed("p" + std::to_string(i));
  c.send(requests);
  world.run_for(std::chrono::seconds(20));
  // What fits kMaxUnsent and the buffers between, no more.
  EXPECT_LE(handler.seen.size(),
            Connection::kMaxUnsent / handler.answer_bytes + 1 + kSocketBuffers / handler.answer_bytes);
  EXPECT_LE(table().budget().used(), Connection::kMaxUnsent + handler.answer_bytes + requests.size());
  c.read_on();
  ASSERT_TRUE(until([&] { return c.answers().size() == 300; }, std::chrono::minutes(10)));
  EXPECT_EQ(table().budget().used(), 0u);
}

TEST_P(ConnectionTest, M2_WhenTheBudgetIsUsedUpOthersWaitAndThenGoOn) {
  options.memory_limit = 100'000;
  start();
  std::vector<TestClient*> all;
  for (int i = 0; i < 5; ++i) all.push_back(&client());
  for (TestClient* c : all) {
    for (int k = 0; k < 4; ++k) c->send(framed("p" + std::to_string(k) + std::string(30'000, '.')));
  }
  size_t most = 0;
  world.after_each_event([&] { most = std::max(most, table().budget().used()); });
  // Nothing is answered until nothing more is taken in.
  world.run_for(std::chrono::seconds(5));
  EXPECT_LT(handler.pending.size(), 20u);
  EXPECT_LE(most, options.memory_limit * 3 / 2 + ChunkPool::kChunkSize + 31'000);
  handler.at_once = true;
  on_server([this] {
    while (!handler.pending.empty()) handler.answer_nth(0);
  });
  ASSERT_TRUE(until(
      [&] { return std::ranges::all_of(all, [](TestClient* c) { return c->answers().size() == 4; }); }));
  EXPECT_EQ(table().budget().used(), 0u);
}

TEST_P(ConnectionTest, M3_AnUnfinishedRequestThatDoesntMoveIsGivenUpWhileOthersWait) {
  options.memory_limit = 50'000;
  handler.at_once = true;
  start();
  TestClient& slow = client();
  slow.send(framed(std::string(80'000, 'x')).substr(0, 60'000));
  ASSERT_TRUE(until([&] { return table().budget().exhausted(); }));
  TestClient& other = client();
  other.send(framed("x1" + std::string(30'000, '.')));
  ASSERT_TRUE(until([&] { return other.answers().size() == 1; }));
  TestClient& third = client();
  third.send(framed("x1" + std::string(300'000, '.')).substr(0, 100'000));
  ASSERT_TRUE(until([&] { return slow.closed(); }));
  EXPECT_NE(log.back().find("made no progress"), std::string::npos);
}

TEST_P(ConnectionTest, M3_ARequestLargerThanTheBudgetArrives) {
  options.memory_limit = 50'000;
  handler.at_once = true;
  start();
  TestClient& one = client();
  TestClient& two = client();
  for (TestClient* c : {&one, &two}) c->send(framed("x" + std::string(900'000, '.')));
  ASSERT_TRUE(until([&] { return one.answers().size() == 1 && two.answers().size() == 1; }));
  EXPECT_EQ(table().budget().used(), 0u);
}

TEST_P(ConnectionTest, M4_SmallRequestsPassWhileLargeOnesWait) {
  options.memory_limit = 50'000;
  handler.at_once = true;
  start();
  TestClient& large = client();
  large.send(framed(std::string(80'000, 'x')).substr(0, 60'000));
  ASSERT_TRUE(until([&] { return table().budget().exhausted(); }));
  TestClient& small = client();
  small.send(framed("x1") + framed("x2"));
  ASSERT_TRUE(until([&] { return small.answers().size() == 2; }, std::chrono::seconds(5)));
  EXPECT_FALSE(large.closed());
}

TEST_P(ConnectionTest, M3_WhoSendsDropByDropDoesntKeepOthersOut) {
  options.memory_limit = 50'000;
  handler.at_once = true;
  start();
  TestClient& slow = client();
  const std::string request = framed("x" + std::string(200'000, '.'));
  slow.send(request.substr(0, 60'000));
  ASSERT_TRUE(until([&] { return table().budget().exhausted(); }));
  TestClient& other = client();
  other.send(request);
  for (size_t at = 60'000; other.answers().empty() && at < 60'100; ++at) {
    slow.send(request.substr(at, 1));
    world.run_for(std::chrono::seconds(1));
  }
  EXPECT_EQ(other.answers().size(), 1u);
  EXPECT_TRUE(slow.closed());
  EXPECT_NE(log.back().find("didn't arrive within"), std::string::npos);
}

TEST_P(ConnectionTest, AnswersThatNobodyReadsAreGivenUpWhileOthersWait) {
  options.memory_limit = 1 << 20;
  handler.at_once = true;
  handler.answer_bytes = 2 << 20;
  start();
  TestClient& slow = client();
  slow.stop_reading();
  slow.send(framed("x1") + framed("x2"));
  ASSERT_TRUE(until([&] { return table().budget().exhausted(); }));
  handler.answer_bytes = 10;
  TestClient& other = client();
  other.send(framed("x3" + std::string(3 << 20, '.')).substr(0, 2 << 20));
  ASSERT_TRUE(until([&] { return !log.empty(); }));
  EXPECT_NE(log.back().find("unread answers"), std::string::npos);
}

TEST_P(ConnectionTest, IdleConnectionsAreClosedAndBusyOnesArent) {
  options.max_idle = std::chrono::seconds(30);
  start();
  TestClient& idle = client();
  TestClient& busy = client();
  busy.send(framed("x1"));
  ASSERT_TRUE(until([&] { return handler.pending.size() == 1; }));
  ASSERT_TRUE(until([&] { return idle.closed(); }, std::chrono::seconds(60)));
  world.run_for(std::chrono::seconds(60));
  EXPECT_FALSE(busy.closed());
  on_server([this] { handler.answer_nth(0); });
  ASSERT_TRUE(until([&] { return busy.answers().size() == 1; }));
}

TEST_P(ConnectionTest, LimitsOfConnectionsAreKept) {
  limits.max_per_address = 2;
  start();
  client(), client();
  TestClient& third = client();
  ASSERT_TRUE(until([&] { return third.closed(); }));
  EXPECT_NE(log.back().find("max.connections.per.ip"), std::string::npos);
  clients[0]->disconnect();
  ASSERT_TRUE(until([&] { return table().size() == 1; }));
  TestClient& fourth = client();
  world.run_for(std::chrono::seconds(1));
  EXPECT_FALSE(fourth.closed());
}

TEST_P(ConnectionTest, AClientThatLeavesTakesNothingWithIt) {
  start();
  TestClient& c = client();
  c.send(framed("x1") + framed("x2"));
  ASSERT_TRUE(until([&] { return handler.pending.size() == 1; }));
  c.disconnect();
  on_server([this] { handler.answer_nth(0); });  // nobody is there any more: no error
  ASSERT_TRUE(until([&] { return table().size() == 0; }));
  EXPECT_EQ(table().budget().used(), 0u);
  TestClient& next = client();
  handler.at_once = true;
  next.send(framed("x3"));
  ASSERT_TRUE(until([&] { return next.answers().size() == 1; }));
}

INSTANTIATE_TEST_SUITE_P(Seeds, ConnectionTest, testing::Range<uint64_t>(1, 9));

}  // namespace
}  // namespace moldau::net
