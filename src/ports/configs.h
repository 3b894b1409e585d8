// ConfigsPort: this node's part of what DescribeConfigs shows; the rest is in the cluster's image.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/resolution.h"
#include "metadata/cluster_image.h"

namespace moldau::ports {

// All places that have values for the node's keys. They belong to `given` and to the image.
inline config::BrokerValues broker_values(const config::Properties& given, const ClusterImage& image,
                                          BrokerId node) {
  return {given, image.configs(ConfigType::kBroker, std::to_string(node.value)),
          image.configs(ConfigType::kBroker, "")};
}

struct LoggerLevel {
  std::string name;   // "root" is the one that the others fall back on
  std::string level;  // TRACE, DEBUG, INFO, WARN, ERROR, FATAL
};

class ConfigsPort {
 public:
  virtual ~ConfigsPort() = default;
  // Every key that the node was started with, unknown ones too. Never changes.
  virtual const config::Properties& given() const = 0;
  // By name; callable on any lane.
  virtual std::vector<LoggerLevel> loggers() const = 0;
  // nullopt: as the root's. False if there is no such logger or level. Callable on any lane.
  virtual bool set_logger(std::string_view name, std::optional<std::string_view> level) = 0;
};

}  // namespace moldau::ports
