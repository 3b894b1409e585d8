// NodeConfigs: this node's own part of what DescribeConfigs shows: what it was started with, its loggers.
#pragma once
#include "io/logger.h"
#include "ports/configs.h"
#include "server/node_options.h"

namespace moldau::server {

class NodeConfigs final : public ports::ConfigsPort {
 public:
  NodeConfigs(const NodeOptions& options, io::LogLevels& levels) : options_(options), levels_(levels) {}
  const config::Properties& given() const override { return options_.given; }
  std::vector<ports::LoggerLevel> loggers() const override;
  bool set_logger(std::string_view name, std::optional<std::string_view> level) override;

 private:
  const NodeOptions& options_;
  io::LogLevels& levels_;
};

}  // namespace moldau::server
