#include "cmd/start_command.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cmd/version.h"
#include "config/environment.h"
#include "config/value.h"
#include "io/posix/posix_runtime.h"
#include "server/node.h"

namespace moldau::cmd {
namespace {

int refuse(const std::string& sentence) {
  fmt::print(stderr, "cannot start: {}\n", sentence);
  return 1;
}

// The file, or what one node needs, then the environment, then the command line. An environment that says what
// the node's roles are stands for a whole file, as in Kafka's container.
Result<config::Properties> read_properties(const StartCommand& command,
                                           const config::Environment& environment) {
  config::Properties properties;
  const bool one_node = command.file.empty() && !environment.properties.contains("process.roles");
  if (!command.file.empty()) {
    std::ifstream in(command.file);
    in.peek();  // a directory opens, but can't be read
    if (!in && !in.eof()) {
      return fail(ErrorCode::kInvalidConfig,
                  fmt::format("{} can't be read. Give the path of a server.properties file, or none for one "
                              "node with defaults.",
                              command.file));
    }
    properties = config::parse_properties(std::string(std::istreambuf_iterator<char>(in), {}));
  }
  for (const auto& [key, value] : environment.properties) properties.insert_or_assign(key, value);
  for (const std::string& override : command.overrides) {
    const size_t equals = override.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::kInvalidConfig,
                  fmt::format("--override {}: must be of the form key=value", override));
    }
    properties.insert_or_assign(std::string(config::trim(override.substr(0, equals))),
                                std::string(config::trim(override.substr(equals + 1))));
  }
  return one_node ? server::default_properties(std::move(properties)) : properties;
}

// Half of the descriptors that the process may have are for log segments, the rest for clients.
size_t open_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 512;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return std::min<size_t>(limit.rlim_cur / 2, 20'000);
}

void print_ready(const server::Node& node) {
  const server::NodeOptions& options = node.options();
  std::string listeners, data, client;
  const auto bound = node.bound();
  for (size_t i = 0; i < bound.size(); ++i) {
    const std::string& name = options.listeners[i].name;
    listeners += fmt::format("{}{}://{}", i ? ", " : "", name, bound[i].text());
    if (client.empty() && options.is_broker && name == options.advertised.front().name) {
      io::Endpoint at = options.advertised.front().address;
      if (at.port == 0) at.port = bound[i].port;
      if (at.host.empty()) at.host = "localhost";
      client = at.text();
    }
  }
  for (const std::string& dir : options.log_dirs)
    data += (data.empty() ? "" : ", ") + std::filesystem::absolute(dir).string();
  const auto admin = node.admin_bound();
  const std::string metrics = admin ? fmt::format("http://{}/metrics", admin->text()) : "none";
  fmt::print(
      "\nMoldau {} is ready\n"
      "  node id     {} ({})\n"
      "  cluster id  {}\n"
      "  listeners   {}\n"
      "  data        {}\n"
      "  metrics     {}\n"
      "  stop        Ctrl-C, or kill {}\n",
      kVersion, options.node_id.value, options.is_broker ? "broker, controller" : "controller",
      node.cluster_id(), listeners, data, metrics, getpid());
  if (options.is_broker)
    fmt::print(
        "  try         echo hello | kcat -b {} -P -t greetings\n"
        "              kcat -b {} -C -t greetings -o beginning -e\n",
        client, client);
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

int run_start(const StartCommand& command) {
  const auto environment = config::read_environment(command.environment);
  if (!environment) return refuse(environment.error().message);
  auto properties = read_properties(command, *environment);
  if (!properties) return refuse(properties.error().message);
  auto options = server::parse_node_options(std::move(*properties));
  if (!options) return refuse(options.error().message);
  options->cluster_id = environment->cluster_id;
  options->log_levels = environment->log_levels;

  options->version = kVersion;

  int exit_code = 0;
  std::unique_ptr<server::Node> node;
  std::unique_ptr<io::PosixRuntime> runtime;
  io::PosixOptions posix;
  posix.listen_backlog = static_cast<int>(options->integer("socket.listen.backlog.size"));
  // While all logs are being loaded there are still threads for the syncs of the metadata log.
  posix.pool_threads += static_cast<int>(options->log_dirs.size()) *
                        static_cast<int>(options->integer("num.recovery.threads.per.data.dir"));
  posix.on_stop_signal = [&](int) { node->stop(); };
  runtime = io::make_posix_runtime(std::move(posix));
  server::NodeEvents events;
  events.on_running = [&] { print_ready(*node); };
  events.on_stopped = [&] { runtime->stop(); };
  events.on_failed = [&](const Error& error) {
    exit_code = refuse(error.message);
    std::fflush(stderr);
    // What is acknowledged is on disk; nothing that still runs may touch a directory that has failed.
    std::_Exit(exit_code);
  };
  node = std::make_unique<server::Node>(*runtime, std::move(*options), open_files(), std::move(events));
  runtime->lanes().front()->post([&] { node->start(); });
  runtime->run();
  node.reset();
  return exit_code;
}

}  // namespace moldau::cmd
