#include "sim/sim_network.h"

#include <gtest/gtest.h>

#include "io/testdata/transport_contract.h"
#include "sim/sim_world.h"

namespace moldau::sim {
namespace {

using io::IoError;
using io::IoResult;
using io::Lane;
using io::Socket;
using namespace std::chrono_literals;

// Two bare machines with a connection from the client to port 1 of the server.
struct TwoHosts {
  explicit TwoHosts(uint64_t seed, NetworkOptions network = {})
      : world({.seed = seed, .network = network}),
        client(world.add_node("client")),
        server(world.add_node("server")) {
    listen();
    client.post([this] {
      client.runtime().transport().connect(*client.runtime().lanes()[0], {"server", 1}, [this](auto socket) {
        if (socket)
          out = *std::move(socket);
        else
          refused = socket.error().message;
      });
    });
  }
  void listen() {
    server.post([this] {
      Lane* const lanes[] = {server.runtime().lanes()[0]};
      listener = *server.runtime().transport().listen(
          {"", 1}, lanes, [this](Lane&, std::unique_ptr<Socket> s) { in = std::move(s); });
    });
  }
  bool connected() {
    return world.run_until([&] { return in && out; }, 5s);
  }
  void send(const std::string& text) {
    client.post([this, text] { io::write_all(*out, std::make_shared<std::string>(text), 0, [] {}); });
  }
  void receive() {
    server.post(
        [this] { io::read_all(*in, received, SIZE_MAX, [this](auto error) { ended = error->message; }); });
  }
  void answer(const std::string& text) {
    server.post([this, text] { io::write_all(*in, std::make_shared<std::string>(text), 0, [] {}); });
  }
  void listen_to_answers() {
    client.post([this] {
      io::read_all(*out, answered, SIZE_MAX, [this](auto error) { client_ended = error->message; });
    });
  }

  SimWorld world;
  SimNode& client;
  SimNode& server;
  std::unique_ptr<io::Listener> listener;
  std::unique_ptr<Socket> in, out;
  std::shared_ptr<std::string> received = std::make_shared<std::string>(),
                               answered = std::make_shared<std::string>();
  std::string ended, client_ended, refused;
};

TEST(SimNetwork, AWindowBoundsWhatIsUnderWay) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    TwoHosts net(seed, {.least_window = 1000, .most_window = 8000});
    ASSERT_TRUE(net.connected());
    size_t written = 0;
    int more = 0;
    std::function<void()> fill = [&] {
      const std::string chunk(777, 'x');
      const Bytes bytes = as_bytes(chunk);
      written += *net.out->write_some(std::span(&bytes, 1));
      net.out->when_writable(fill);
    };
    net.client.post([&] { fill(); });
    net.world.run_for(10s);
    net.client.post([&] {
      const Bytes bytes = as_bytes("x");
      for (int i = 0; i < 20; ++i) more += static_cast<int>(*net.out->write_some(std::span(&bytes, 1)));
    });
    net.world.run_for(1s);
    EXPECT_EQ(more, 0) << "full";
    EXPECT_GE(written, 1000u);
    EXPECT_LE(written, 8000u);
    const size_t before = written;
    net.receive();
    net.world.run_for(1s);
    EXPECT_GT(written, before) << "the reader made room";
    EXPECT_LE(written - net.received->size(), 8000u);
  }
}

TEST(SimNetwork, ReadsAndWritesArePartialAndStopForNothing) {
  TwoHosts net(3);
  ASSERT_TRUE(net.connected());
  int short_writes = 0, idle = 0, writes = 0;
  const std::string text = io::numbers(1000);
  net.client.post([&] {
    for (int i = 0; i < 60; ++i, ++writes) {
      const Bytes bytes = as_bytes(text).first(60);
      const size_t n = *net.out->write_some(std::span(&bytes, 1));
      idle += n == 0;
      short_writes += n > 0 && n < 60;
    }
  });
  ASSERT_TRUE(net.world.run_until([&] { return writes == 60; }, 5s));
  EXPECT_GT(short_writes, 5);
  EXPECT_GT(idle, 0);
}

TEST(SimNetwork, ADroppedConnectionLosesASuffix) {
  std::set<bool> all;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    TwoHosts net(seed);
    ASSERT_TRUE(net.connected());
    const std::string text = io::numbers(20'000);
    net.receive();
    net.listen_to_answers();
    net.send(text);
    net.world.run_for(Duration(net.world.faults().between(0, 2'000'000)));
    EXPECT_EQ(net.world.network().drop_connections(0, 1), 1);
    ASSERT_TRUE(net.world.run_until([&] { return !net.ended.empty() && !net.client_ended.empty(); }, 60s));
    EXPECT_TRUE(text.starts_with(*net.received)) << "a prefix, whatever happens";
    EXPECT_EQ(net.ended, "client:32769: Connection reset by peer");
    all.insert(*net.received == text);
  }
  EXPECT_EQ(all.size(), 2u) << "sometimes all of it had arrived";
}

TEST(SimNetwork, AOneWayCutStopsOneWay) {
  TwoHosts net(8);
  ASSERT_TRUE(net.connected());
  net.receive(), net.listen_to_answers();
  net.world.network().cut(0, 1);
  net.send("question"), net.answer("answer");
  net.world.run_for(30s);
  EXPECT_EQ(*net.received, "");
  EXPECT_EQ(*net.answered, "answer");
  EXPECT_EQ(net.ended + net.client_ended, "") << "nobody knows";
  net.world.network().heal(0, 1);
  net.world.run_for(10s);
  EXPECT_EQ(*net.received, "question") << "held back, not lost";
}

TEST(SimNetwork, ACutOfTheWayBackHoldsTheWriter) {
  TwoHosts net(8, {.least_window = 1000, .most_window = 1000});
  ASSERT_TRUE(net.connected());
  net.receive();
  net.world.network().cut(1, 0);
  net.send(std::string(5000, 'x'));
  net.world.run_for(30s);
  EXPECT_EQ(net.received->size(), 1000u) << "one window, then no acknowledgement comes";
  net.world.network().heal(1, 0);
  net.world.run_for(30s);
  EXPECT_EQ(net.received->size(), 5000u);
}

TEST(SimNetwork, AClogHealsByItself) {
  TwoHosts net(8);
  ASSERT_TRUE(net.connected());
  net.receive();
  net.world.network().clog(0, 1, 3s);
  net.send("late");
  net.world.run_for(2900ms);
  EXPECT_EQ(*net.received, "");
  net.world.run_for(10s);
  EXPECT_EQ(*net.received, "late");
  net.world.network().clog(0, 1, 1s);
  net.world.network().cut(0, 1);
  net.world.run_for(10s);
  EXPECT_TRUE(net.world.network().is_cut(0, 1)) << "not the clog's to heal";
}

TEST(SimNetwork, ClosingEndsAfterTheLastByte) {
  TwoHosts net(2);
  ASSERT_TRUE(net.connected());
  net.receive();
  net.client.post(
      [&] { io::write_all(*net.out, std::make_shared<std::string>("bye"), 0, [&] { net.out.reset(); }); });
  ASSERT_TRUE(net.world.run_until([&] { return !net.ended.empty(); }, 5s));
  EXPECT_EQ(*net.received, "bye");
  EXPECT_EQ(net.ended, "client:32769: closed by the peer");
  net.server.post([&] { net.in.reset(); });
  net.world.run_for(1s);
  EXPECT_EQ(net.world.network().connections(0, 1), 0);
}

TEST(SimNetwork, AKilledProcessTellsItsPeersAPowerLossDoesNot) {
  for (const Crash how : {Crash::kProcessKill, Crash::kPowerLoss}) {
    TwoHosts net(4);
    ASSERT_TRUE(net.connected());
    net.listen_to_answers();
    net.world.crash(net.server, how);
    net.world.run_for(60s);
    EXPECT_EQ(net.client_ended.empty(), how == Crash::kPowerLoss);
  }
}

TEST(SimNetwork, WhoSendsToAHostThatCameBackIsReset) {
  TwoHosts net(4);
  ASSERT_TRUE(net.connected());
  net.listen_to_answers();
  net.send("before");
  net.world.crash(net.server, Crash::kPowerLoss);
  net.world.run_for(60s);
  EXPECT_EQ(net.client_ended, "");
  net.world.start(net.server);
  net.world.run_for(60s);
  EXPECT_EQ(net.client_ended, "server:1: Connection reset by peer");
}

TEST(SimNetwork, ConnectingToNobody) {
  struct Case {
    const char* name;
    std::function<void(TwoHosts&)> before;
    const char* error;
    Duration least;
  };
  const Case cases[] = {
      {"no process", [](TwoHosts& net) { net.world.crash(net.server, Crash::kProcessKill); },
       "server:1: Connection refused", 0s},
      {"no power", [](TwoHosts& net) { net.world.crash(net.server, Crash::kPowerLoss); },
       "server:1: Connection timed out", 19s},
      {"cut there", [](TwoHosts& net) { net.world.network().cut(0, 1); }, "server:1: Connection timed out",
       19s},
      {"cut back", [](TwoHosts& net) { net.world.network().cut(1, 0); }, "server:1: Connection timed out",
       19s},
      {"isolated", [](TwoHosts& net) { net.world.network().isolate(1); }, "server:1: Connection timed out",
       19s},
  };
  for (const Case& c : cases) {
    TwoHosts net(7);
    c.before(net);
    const Instant begun = net.world.now();
    ASSERT_TRUE(net.world.run_until([&] { return !net.refused.empty(); }, 60s)) << c.name;
    EXPECT_EQ(net.refused, c.error) << c.name;
    EXPECT_GE(net.world.now() - begun, c.least) << c.name;
  }
}

TEST(SimNetwork, AConnectionAttemptOutlastsAShortCut) {
  TwoHosts net(7);
  net.world.network().cut_both(0, 1);
  net.world.after(5s, [&] { net.world.network().heal_all(); });
  EXPECT_FALSE(net.connected());
  EXPECT_TRUE(net.world.run_until([&] { return net.in && net.out; }, 10s));
}

TEST(SimNetwork, SlowLinksAreSlow) {
  TwoHosts net(7);
  ASSERT_TRUE(net.connected());
  net.world.network().set_latency(0, 1, 10s);
  net.receive();
  net.send("slow");
  net.world.run_for(2s);
  EXPECT_EQ(*net.received, "");
  EXPECT_TRUE(net.world.run_until([&] { return *net.received == "slow"; }, 1h));
}

}  // namespace
}  // namespace moldau::sim
