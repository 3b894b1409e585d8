// What a post, a timer and an echo cost: io_posix lanes on this machine. Prints one line a measurement.
//   lane_bench            all of them
//   lane_bench idle       makes a runtime with two lanes, prints its memory and waits for a signal
//   lane_bench echo N     N round trips over one connection between two lanes: for strace -f -c
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "io/posix/posix_runtime.h"

namespace moldau::io {
namespace {

// Processor time of all threads: on a machine that others use too, the wall's clock says little.
Instant spent() {
  timespec t;
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return Instant(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
}

struct Stopwatch {
  explicit Stopwatch(Clock& clock) : clock(&clock), begun(clock.now()), begun_cpu(spent()) {}
  void print(const char* what, int64_t n) const {
    const auto each = [n](Duration d) { return static_cast<double>(d.count()) / static_cast<double>(n); };
    std::printf("%-34s %9.1f ns, %9.1f ns of processor time\n", what, each(clock->now() - begun),
                each(spent() - begun_cpu));
  }
  Clock* clock;
  Instant begun, begun_cpu;
};

std::string memory() {
  std::ifstream status("/proc/self/status");
  std::string line, found;
  while (std::getline(status, line)) {
    if (line.starts_with("VmRSS") || line.starts_with("RssAnon") || line.starts_with("Threads"))
      found += line + "  ";
  }
  return found;
}

void same_lane(PosixRuntime& runtime, std::function<void()> next) {
  constexpr int64_t kTasks = 5'000'000;
  Lane& lane = *runtime.lanes()[0];
  struct State {
    int64_t left;
    Stopwatch watch;
    std::function<void()> next;
  };
  auto state = std::make_shared<State>(State{kTasks, Stopwatch(runtime.clock()), nullptr});
  state->next = std::move(next);
  for (int i = 0; i < 100; ++i) {
    struct Again {
      Lane& lane;
      Runtime& runtime;
      std::shared_ptr<State> state;
      void operator()() {
        if (--state->left > 0) return lane.post(std::move(*this));
        if (state->left != 0) return;
        state->watch.print("post on the same lane", kTasks);
        state->next();
      }
    };
    lane.post(Again{lane, runtime, state});
  }
}

void cross_lane(PosixRuntime& runtime, std::function<void()> next) {
  constexpr int64_t kTasks = 4'000'000;
  constexpr int64_t kBatch = 32;  // what one task of a lane sends to another
  Lane& from = *runtime.lanes()[0];
  Lane& to = *runtime.lanes()[1];
  auto received = std::make_shared<int64_t>(0);
  auto sent = std::make_shared<int64_t>(0);
  const auto begun = std::make_shared<Stopwatch>(runtime.clock());
  struct Send {
    PosixRuntime& runtime;
    Lane& from;
    Lane& to;
    std::shared_ptr<int64_t> sent, received;
    std::shared_ptr<Stopwatch> begun;
    std::shared_ptr<std::function<void()>> next;
    void operator()() {
      for (int64_t i = 0; i < kBatch; ++i) {
        to.post([at = received.get(), this_ = next.get(), b = begun.get(), r = &runtime] {
          if (++*at < kTasks) return;
          b->print("post to another lane, under load", kTasks);
          r->lanes()[0]->post([this_] { (*this_)(); });
        });
      }
      if ((*sent += kBatch) < kTasks)
        from.post(std::move(*this));
      else
        runtime.lanes()[0]->post([keep = received, also = next] {});
    }
  };
  static std::shared_ptr<int64_t> kept = received;
  static auto kept_watch = begun;
  static auto kept_next = std::make_shared<std::function<void()>>(std::move(next));
  from.post(Send{runtime, from, to, sent, kept, begun, kept_next});
}

void ping_pong(PosixRuntime& runtime, std::function<void()> next) {
  constexpr int64_t kRounds = 200'000;
  struct Ball {
    PosixRuntime& runtime;
    int64_t left;
    Stopwatch watch;
    std::function<void()> next;
    void operator()() {
      if (--left > 0) return runtime.lanes()[static_cast<size_t>(left & 1)]->post(std::move(*this));
      watch.print("post to another lane that sleeps", kRounds);
      runtime.lanes()[0]->post(std::move(next));
    }
  };
  runtime.lanes()[0]->post(Ball{runtime, kRounds, Stopwatch(runtime.clock()), std::move(next)});
}

void timers(PosixRuntime& runtime, std::function<void()> next) {
  constexpr int64_t kTimers = 1'000'000;
  Lane& lane = *runtime.lanes()[0];
  lane.post([&lane, clock = &runtime.clock(), next = std::move(next)] {
    std::vector<Timer> kept;
    for (int i = 0; i < 50'000; ++i) kept.push_back(lane.after(std::chrono::seconds(30 + i % 600), [] {}));
    const Stopwatch watch(*clock);
    for (int64_t i = 0; i < kTimers; ++i) {
      kept[static_cast<size_t>(i * 7919 % 50'000)] =
          lane.after(std::chrono::milliseconds(30'000 + i % 1000), [] {});
    }
    watch.print("timer made and cancelled (50,000)", kTimers);
    kept.clear();
    next();
  });
}

struct Echo {
  std::unique_ptr<Socket> socket;
  void go() {
    uint8_t chunk[4096];
    for (;;) {
      const auto n = socket->read_some(chunk);
      if (!n) return;
      if (*n == 0) return socket->when_readable([this] { go(); });
      const Bytes part = Bytes(chunk).first(*n);
      if (!socket->write_some(std::span(&part, 1))) return;
    }
  }
};

struct Client {
  PosixRuntime& runtime;
  int64_t rounds, left;
  std::function<void()> next;
  std::unique_ptr<Socket> socket;
  Stopwatch watch;
  void send() {
    const uint8_t request[100] = {};
    const Bytes part = request;
    (void)socket->write_some(std::span(&part, 1));
    receive();
  }
  void receive() {
    uint8_t chunk[4096];
    const auto n = socket->read_some(chunk);
    if (!n) return;
    if (*n == 0) return socket->when_readable([this] { receive(); });
    if (--left > 0) return send();
    watch.print("echo between two lanes", rounds);
    socket.reset();
    next();
  }
};

void echo(PosixRuntime& runtime, int64_t rounds, std::function<void()> next) {
  static std::unique_ptr<Listener> listener;
  static std::unique_ptr<Echo> server;
  static std::unique_ptr<Client> client;
  auto finish = [&runtime, next = std::move(next)] {
    runtime.lanes()[1]->post([&runtime, next] {
      server.reset(), listener.reset();
      runtime.lanes()[0]->post([next] { client.reset(), next(); });
    });
  };
  client.reset(new Client{runtime, rounds, rounds, finish, nullptr, Stopwatch(runtime.clock())});
  runtime.lanes()[1]->post([&runtime] {
    Lane* const lanes[] = {runtime.lanes()[1]};
    listener =
        *runtime.transport().listen({"127.0.0.1", 0}, lanes, [](Lane&, std::unique_ptr<Socket> socket) {
          server.reset(new Echo{std::move(socket)});
          server->go();
        });
    runtime.transport().connect(*runtime.lanes()[0], listener->local(), [&runtime](auto socket) {
      client->socket = *std::move(socket);
      client->watch = Stopwatch(runtime.clock());
      client->send();
    });
  });
}

}  // namespace
}  // namespace moldau::io

int main(int count, char** words) {
  using namespace moldau::io;
  const std::string what = count > 1 ? words[1] : "all";
  std::unique_ptr<PosixRuntime> runtime;
  PosixOptions options{.lanes = 2};
  if (what == "idle") options.on_stop_signal = [&](int) { runtime->stop(); };
  runtime = make_posix_runtime(options);
  const auto stop = [&] { runtime->stop(); };
  if (what == "echo") {
    echo(*runtime, count > 2 ? std::atoll(words[2]) : 100'000, stop);
  } else if (what == "idle") {
    runtime->lanes()[1]->post([] { std::printf("%s\n", memory().c_str()), std::fflush(stdout); });
  } else {
    same_lane(*runtime, [&] {
      cross_lane(*runtime, [&] {
        ping_pong(*runtime, [&] { timers(*runtime, [&] { echo(*runtime, 100'000, stop); }); });
      });
    });
  }
  runtime->run();
}
