#include "controller/state/topic_configs.h"

#include "config/value.h"

namespace moldau {
namespace {

std::unexpected<Error> refuse(std::string why) {
  return fail(ErrorCode::kInvalidConfig, std::move(why));
}

const std::string* find_in(const TopicConfigs& configs, std::string_view name) {
  const auto it = configs.find(name);
  return it == configs.end() ? nullptr : &it->second;
}

std::optional<int64_t> number_in_force(const TopicConfigs& configs, std::string_view name,
                                       const ControllerOptions& options) {
  const config::Key& key = *config::find(config::topic_keys(), name);
  const auto value = config::topic_setting(key, find_in(configs, name), {options.broker_configs}).value;
  return value ? config::parse_integer(*value) : std::nullopt;
}

constexpr std::string_view kMinIsr = "min.insync.replicas";

int32_t min_isr_of(const std::string* own, const ClusterImage& image, const ControllerOptions& options) {
  static const config::Key& key = *config::find(config::topic_keys(), kMinIsr);
  const auto value = config::topic_setting(key, own, broker_values(image, options)).value;
  return static_cast<int32_t>(value ? config::parse_integer(*value).value_or(1) : 1);
}

}  // namespace

config::BrokerValues broker_values(const ClusterImage& image, const ControllerOptions& options) {
  return {options.broker_configs, image.configs(ConfigType::kBroker, std::to_string(options.node_id.value)),
          image.configs(ConfigType::kBroker, "")};
}

Status validate_topic_configs(const TopicConfigs& configs, const ControllerOptions& options) {
  for (const auto& [name, value] : configs) {
    const config::Key* key = config::find(config::topic_keys(), name);
    if (!key) return refuse("Unknown topic config name: " + name);
    TRY(config::validate(*key, value));
  }
  const auto least = number_in_force(configs, "min.compaction.lag.ms", options);
  const auto most = number_in_force(configs, "max.compaction.lag.ms", options);
  if (least && most && *least > *most)
    return refuse("conflict topic config setting min.compaction.lag.ms (" + std::to_string(*least) +
                  ") > max.compaction.lag.ms (" + std::to_string(*most) + ")");
  const std::string* remote = find_in(configs, "remote.storage.enable");
  if (remote && config::parse_boolean(*remote).value_or(false))
    return refuse(
        "Tiered Storage functionality is disabled in the broker. Topic cannot be configured with remote log "
        "storage.");
  return {};
}

std::vector<config::TopicSetting> settings_in_force(const TopicConfigs& own, const ClusterImage& image,
                                                    const ControllerOptions& options) {
  const config::BrokerValues values = broker_values(image, options);
  std::vector<config::TopicSetting> all;
  for (const config::Key& key : config::topic_keys())
    if (!key.internal || own.contains(key.name))
      all.push_back(config::topic_setting(key, find_in(own, key.name), values));
  return all;
}

int32_t min_isr_in_force(const TopicConfigs& own, const ClusterImage& image,
                         const ControllerOptions& options) {
  return min_isr_of(find_in(own, kMinIsr), image, options);
}

int32_t effective_min_isr(const ClusterImage& image, const TopicImage& topic,
                          const ControllerOptions& options) {
  const int32_t least = min_isr_of(image.config(ConfigType::kTopic, topic.name, kMinIsr), image, options);
  const PartitionRegistration* first = topic.partition(PartitionId(0));
  return first ? std::min(least, static_cast<int32_t>(first->replicas.size())) : least;
}

bool unclean_election_enabled(const ClusterImage& image, std::string_view topic,
                              const ControllerOptions& options) {
  constexpr std::string_view kName = "unclean.leader.election.enable";
  static const config::Key& key = *config::find(config::topic_keys(), kName);
  const std::string* own = image.config(ConfigType::kTopic, topic, kName);
  const auto value = config::topic_setting(key, own, broker_values(image, options)).value;
  return value && config::parse_boolean(*value).value_or(false);
}

}  // namespace moldau
