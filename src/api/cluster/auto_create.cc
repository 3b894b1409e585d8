#include "api/cluster/auto_create.h"

#include <fmt/format.h>

#include "api/services.h"

namespace moldau::api {
namespace {

using protocol::CreateTopicsRequest;
using protocol::CreateTopicsResponse;

constexpr int16_t kRequestVersion = CreateTopicsRequest::kVersions.last;

void add_topic(ports::Kept<CreateTopicsRequest>& request, const AutoCreateOptions& options,
               std::string_view name) {
  const auto internal = options.of_internal_topics.find(name);
  const auto& settings =
      internal == options.of_internal_topics.end() ? options.of_any_topic : internal->second;
  auto& topic = request.message.topics.emplace_back();
  topic.name = request.arena.keep(std::string(name));
  topic.num_partitions = settings.num_partitions;
  topic.replication_factor = settings.replication_factor;
  for (const auto& [key, value] : settings.configs)
    topic.configs.push_back({request.arena.keep(key), request.arena.keep(value)});
}

void log_failures(io::Logger& logger, const Result<ports::Kept<CreateTopicsResponse>>& answer) {
  if (!answer) {
    return logger.warn("api", fmt::format("topics were not created automatically: {}: {}",
                                          error_name(answer.error().code), answer.error().message));
  }
  for (const auto& topic : answer->message.topics) {
    const auto error = static_cast<ErrorCode>(topic.error_code);
    if (error == ErrorCode::kNone || error == ErrorCode::kTopicAlreadyExists) continue;
    logger.warn("api", fmt::format("topic {} was not created automatically: {}: {}", topic.name,
                                   error_name(error), topic.error_message.value_or("")));
  }
}

}  // namespace

void create_missing_topics(Services& services, io::Lane& lane, const std::vector<std::string_view>& names,
                           io::Task done) {
  ports::Kept<CreateTopicsRequest> request;
  request.message.timeout_ms = services.auto_create.request_timeout_ms;
  for (std::string_view name : names) add_topic(request, services.auto_create, name);
  services.controller.create_topics(
      {&lane, kRequestVersion, {}}, std::move(request),
      [&services, done = std::move(done)](Result<ports::Kept<CreateTopicsResponse>> answer) mutable {
        log_failures(services.runtime.logger(), answer);
        done();
      });
}

}  // namespace moldau::api
