#include "cli/client_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ostream>

#include "cli/commands.h"

namespace moldau::cli {
namespace {

constexpr ClientCommand kCommands[] = {
    {"topic", "create, list, describe, alter and delete topics", add_topic_actions},
    {"config", "show and change the configuration of topics, brokers and groups", add_config_actions},
    {"group", "consumer groups: their members, offsets and lag", add_group_actions},
    {"produce", "send lines of standard input to a topic", add_produce_action},
    {"consume", "print the records of topics", add_consume_action},
    {"cluster", "the cluster, its brokers and what they serve", add_cluster_actions},
};

constexpr uint16_t kPort = 9092;

Result<io::Endpoint> parse_endpoint(std::string_view text) {
  io::Endpoint out{std::string(text), kPort};
  const size_t colon = text.rfind(':');
  const bool bare_ipv6 = !text.starts_with('[') && std::ranges::count(text, ':') > 1;
  const size_t bracket = text.rfind(']');
  if (colon != text.npos && !bare_ipv6 && (bracket == text.npos || colon > bracket)) {
    const std::string_view port = text.substr(colon + 1);
    const auto end = std::from_chars(port.data(), port.data() + port.size(), out.port);
    if (end.ec != std::errc() || end.ptr != port.data() + port.size() || out.port == 0)
      return fail(ErrorCode::kInvalidRequest,
                  fmt::format("--bootstrap-server {}: the port is no number from 1 to 65535", text));
    out.host = text.substr(0, colon);
  }
  if (out.host.starts_with('[') && out.host.ends_with(']'))
    out.host = out.host.substr(1, out.host.size() - 2);
  if (out.host.empty())
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("--bootstrap-server {}: must be host:port, as in localhost:9092", text));
  return out;
}

Result<std::vector<io::Endpoint>> parse_endpoints(std::string_view text) {
  std::vector<io::Endpoint> out;
  while (true) {
    const size_t comma = text.find(',');
    TRY_ASSIGN(out.emplace_back(), parse_endpoint(text.substr(0, comma)));
    if (comma == text.npos) return out;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

std::span<const ClientCommand> client_commands() {
  return kCommands;
}

const ClientCommand* find_client_command(std::string_view name) {
  const auto at = std::ranges::find(kCommands, name, &ClientCommand::name);
  return at == std::end(kCommands) ? nullptr : at;
}

void Session::failed(const Error& error) {
  out.flush();
  err << command << ": " << error.message << '\n';
  exit_code = kRefused;
}

int run_client_command(const ClientCommand& command, std::span<const std::string> args,
                       const Surroundings& with) {
  CommandLine line(std::string(command.name), std::string(command.description));
  command.add_actions(line);
  int code = kDone;
  const CommandLine::Chosen* chosen = line.parse(args, with.out, with.err, code);
  if (!chosen) return code;
  auto endpoints = parse_endpoints(chosen->bootstrap_server);
  if (!endpoints) {
    with.err << chosen->command << ": " << endpoints.error().message << '\n';
    return kWrongUse;
  }
  const std::unique_ptr<Wire> wire = with.connect();
  const auto timeout = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(chosen->timeout_s));
  Cluster cluster(*wire, {std::move(*endpoints), timeout, with.version});
  Session session{.cluster = cluster,
                  .format = chosen->format == "json" ? Format::kJson : Format::kTable,
                  .command = chosen->command,
                  .in = with.in,
                  .out = with.out,
                  .err = with.err,
                  .wall_ms = with.wall_ms};
  if (auto done = chosen->run(session); !done) {
    session.failed(done.error());
    if (done.error().code == ErrorCode::kInvalidRequest) return kWrongUse;
  }
  with.out.flush();
  return session.exit_code;
}

}  // namespace moldau::cli
