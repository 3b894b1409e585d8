#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/client/configs.h"
#include "cli/commands.h"
#include "protocol/messages/incremental_alter_configs.h"

namespace moldau::cli {
namespace {

constexpr const char* kKinds = "topic, broker, broker-logger, group or client-metrics";

struct KindName {
  const char* name;
  ConfigKind kind;
};
constexpr KindName kKindNames[] = {{"topic", ConfigKind::kTopic},
                                   {"broker", ConfigKind::kBroker},
                                   {"broker-logger", ConfigKind::kBrokerLogger},
                                   {"group", ConfigKind::kGroup},
                                   {"client-metrics", ConfigKind::kClientMetrics}};

struct ResourceOptions {
  std::string kind;
  std::vector<std::string> names;
};

// `default` is the brokers' common configuration, which Kafka names with the empty string.
std::vector<ConfigResource> resources_of(const ResourceOptions& options) {
  std::vector<ConfigResource> out;
  for (const KindName& known : kKindNames) {
    if (options.kind != known.name) continue;
    for (const std::string& name : options.names)
      out.push_back({known.kind, known.kind == ConfigKind::kBroker && name == "default" ? "" : name});
  }
  return out;
}

void add_resource_options(CLI::App& app, ResourceOptions& options) {
  std::vector<std::string> names;
  for (const KindName& known : kKindNames) names.emplace_back(known.name);
  app.add_option("KIND", options.kind, kKinds)->required()->check(CLI::IsMember(names));
  app.add_option("NAME", options.names, "of the topic or group; a broker's id, or `default` for all brokers")
      ->required();
}

// ---- describe

struct DescribeOptions : ResourceOptions {
  bool all = false;
};

// Of a topic or group: what was set for it. Of a broker: what was set in any way.
bool is_set(const ConfigResource& resource, config::Source source) {
  switch (resource.kind) {
    case ConfigKind::kTopic: return source == config::Source::kTopic;
    case ConfigKind::kGroup: return source == config::Source::kGroup;
    default: return source != config::Source::kDefault;
  }
}

Status describe(Session& session, const DescribeOptions& options) {
  const std::vector<ConfigResource> resources = resources_of(options);
  TRY_ASSIGN(const auto configs, describe_configs(session.cluster, resources));
  Table table{"configs", {"name", "key", "value", "source", "read_only", "sensitive"}, {}};
  for (size_t i = 0; i < resources.size(); ++i) {
    if (configs[i].error) {
      session.failed(*configs[i].error);
      continue;
    }
    for (const ConfigEntry& entry : configs[i].entries) {
      if (!options.all && !is_set(resources[i], entry.source)) continue;
      table.rows.push_back({options.names[i], entry.name, Cell(entry.value), source_name(entry.source),
                            entry.read_only, entry.sensitive});
    }
  }
  print(session.out, session.format, table);
  return {};
}

// ---- alter

enum class Operation : int8_t { kSet = 0, kDelete = 1, kAppend = 2, kSubtract = 3 };

struct AlterOptions : ResourceOptions {
  std::vector<std::string> set, remove, append, subtract;
  bool dry_run = false;
};

using AlterRequest = protocol::IncrementalAlterConfigsRequest;

Result<std::vector<AlterRequest::AlterableConfig>> changes(const AlterOptions& options) {
  std::vector<AlterRequest::AlterableConfig> out;
  const auto add = [&out](Operation operation, const char* option,
                          const std::vector<std::string>& texts) -> Status {
    for (const std::string& text : texts) {
      TRY_ASSIGN(const auto pair, split_pair(option, text));
      out.push_back({pair.first, static_cast<int8_t>(operation), pair.second});
    }
    return {};
  };
  TRY(add(Operation::kSet, "--set", options.set));
  TRY(add(Operation::kAppend, "--append", options.append));
  TRY(add(Operation::kSubtract, "--subtract", options.subtract));
  for (const std::string& key : options.remove)
    out.push_back({key, static_cast<int8_t>(Operation::kDelete), std::nullopt});
  if (out.empty())
    return fail(ErrorCode::kInvalidRequest, "nothing to do: give --set, --delete, --append or --subtract");
  return out;
}

void take(Session& session, const protocol::IncrementalAlterConfigsResponse& response, Table& table) {
  for (const auto& resource : response.responses) {
    const std::string_view name = resource.resource_name.empty() ? "default" : resource.resource_name;
    if (resource.error_code != 0)
      session.failed(answer_error(name, resource.error_code, resource.error_message));
    else
      table.rows.push_back({name});
  }
}

Status alter(Session& session, const AlterOptions& options) {
  TRY(session.cluster.learn_brokers());
  TRY_ASSIGN(const auto configs, changes(options));
  const std::vector<ConfigResource> resources = resources_of(options);
  AlterRequest to_any;
  std::vector<Cluster::Ask<AlterRequest>> to_brokers;
  for (const ConfigResource& resource : resources) {
    TRY_ASSIGN(const auto broker, broker_of(resource));
    AlterRequest& request =
        broker ? to_brokers.emplace_back(Cluster::Ask<AlterRequest>{*broker, {}}).request : to_any;
    request.validate_only = options.dry_run;
    request.resources.push_back({static_cast<int8_t>(resource.kind), resource.name, configs});
  }
  Table table{"changed", {"name"}, {}};
  if (!to_any.resources.empty()) {
    TRY_ASSIGN(const auto reply, session.cluster.ask(to_any));
    take(session, reply.message, table);
  }
  for (const auto& reply :
       session.cluster.ask_each(std::span<const Cluster::Ask<AlterRequest>>(to_brokers))) {
    if (reply)
      take(session, reply->message, table);
    else
      session.failed(reply.error());
  }
  if (!table.rows.empty() || session.format == Format::kJson) print(session.out, session.format, table);
  return {};
}

}  // namespace

void add_config_actions(CommandLine& line) {
  auto shown = std::make_shared<DescribeOptions>();
  CLI::App& describe_app =
      line.add("describe", "what is configured", [shown](Session& s) { return describe(s, *shown); });
  add_resource_options(describe_app, *shown);
  describe_app.add_flag("-a,--all", shown->all, "defaults and inherited values too");

  auto changed = std::make_shared<AlterOptions>();
  CLI::App& app =
      line.add("alter", "change keys, in one step", [changed](Session& s) { return alter(s, *changed); });
  add_resource_options(app, *changed);
  app.add_option("--set", changed->set, "key=value; may be given several times, as all of these")
      ->allow_extra_args(false);
  app.add_option("--delete", changed->remove, "key: back to what it inherits")->allow_extra_args(false);
  app.add_option("--append", changed->append, "key=value: adds to a list")->allow_extra_args(false);
  app.add_option("--subtract", changed->subtract, "key=value: takes out of a list")->allow_extra_args(false);
  app.add_flag("--dry-run", changed->dry_run, "only check");
}

}  // namespace moldau::cli
