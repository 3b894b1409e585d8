#include "controller/topic_planner.h"

#include <algorithm>
#include <map>
#include <set>

#include "controller/state/topic_configs.h"
#include "controller/topic_assignment.h"
#include "metadata/topic_names.h"
#include "protocol/metadata/clear_elr_record.h"
#include "protocol/metadata/config_record.h"
#include "protocol/metadata/topic_record.h"

namespace moldau {
namespace {

using Request = protocol::CreateTopicsRequest;
using Response = protocol::CreateTopicsResponse;
using CreatableTopicResult = Response::CreatableTopicResult;

constexpr int64_t kMaxPartitionsPerRequest = 10'000;

class Creation {
 public:
  Creation(const ControllerView& view, const Request& request, const TopicAccess& access,
           RandomStream& random)
      : view_(view), request_(request), access_(access), random_(random) {}

  Result<Plan<Response>> plan() {
    sort_out();
    TRY(check_total());
    for (const Request::CreatableTopic& topic : request_.topics) {
      if (is_out(topic)) continue;
      if (auto created = create(topic); !created) {
        if (created.error().code == ErrorCode::kPolicyViolation)
          return std::unexpected(std::move(created).error());
        add_error(topic.name, std::move(created).error());
      }
    }
    for (std::string_view name : duplicates_)
      add_error(name, {ErrorCode::kInvalidRequest, "Duplicate topic name."});
    for (auto& [name, error] : refused_) add_error(name, error);
    if (request_.validate_only) plan_.records.clear();
    return std::move(plan_);
  }

 private:
  // Names that come more than once, that are the cluster's own, or that the caller may not create.
  void sort_out() {
    std::set<std::string_view> names;
    for (const Request::CreatableTopic& topic : request_.topics)
      if (!names.insert(topic.name).second) duplicates_.insert(topic.name);
    for (std::string_view name : names) {
      if (duplicates_.contains(name)) continue;
      if (name == kClusterMetadataTopic)
        refused_[name] = {ErrorCode::kInvalidRequest,
                          "Creation of internal topic __cluster_metadata is prohibited."};
      else if (!TopicAccess::allows(access_.create, name))
        refused_[name] = {ErrorCode::kTopicAuthorizationFailed, "Authorization failed."};
    }
  }

  bool is_out(const Request::CreatableTopic& topic) const {
    return duplicates_.contains(topic.name) || refused_.contains(topic.name);
  }

  // Before anything is placed: a count is a small number in a request, and a lot of work here.
  Status check_total() const {
    int64_t total = 0;
    for (const Request::CreatableTopic& topic : request_.topics) {
      if (is_out(topic)) continue;
      if (!topic.assignments.empty())
        total += static_cast<int64_t>(topic.assignments.size());
      else
        total +=
            topic.num_partitions == -1 ? view_.options.default_partitions : std::max(topic.num_partitions, 0);
    }
    if (total <= kMaxPartitionsPerRequest) return {};
    return fail(ErrorCode::kPolicyViolation, "Excessively large number of partitions per request.");
  }

  Status check_name(std::string_view name) const {
    TRY(validate_topic_name(name));
    const std::string_view colliding = view_.index.colliding_topic(name);
    const bool exists = view_.image.topic(name) != nullptr;
    if (exists)
      return fail(ErrorCode::kTopicAlreadyExists, "Topic '" + std::string(name) + "' already exists.");
    if (!colliding.empty())
      return fail(
          ErrorCode::kInvalidTopicException,
          "Topic '" + std::string(name) + "' collides with existing topic: " + std::string(colliding));
    return {};
  }

  Result<TopicConfigs> check_configs(const Request::CreatableTopic& topic) const {
    TopicConfigs configs;
    std::string nulls;
    for (const auto& config : topic.configs) {
      if (config.value)
        configs[std::string(config.name)] = std::string(*config.value);
      else
        nulls += (nulls.empty() ? "" : ",") + std::string(config.name);
    }
    if (!nulls.empty())
      return fail(ErrorCode::kInvalidConfig, "Null value not supported for topic configs: " + nulls);
    TRY(validate_topic_configs(configs, view_.options));
    return configs;
  }

  Status create(const Request::CreatableTopic& topic) {
    TRY(check_name(topic.name));
    TRY_ASSIGN(const TopicConfigs configs, check_configs(topic));
    TRY_ASSIGN(const std::vector<PartitionRegistration> partitions,
               assign_new_topic(view_, topic, configs, random_));
    if (plan_.records.size() + 1 + configs.size() + partitions.size() > kMaxRecordsPerPlan)
      return too_many_records();
    const Uuid id = new_topic_id();
    add_records(topic.name, id, configs, partitions);
    add_result(topic.name, id, configs, partitions);
    return {};
  }

  Uuid new_topic_id() {
    for (;;)
      if (const Uuid id = random_.uuid(); !view_.image.topic(id)) return id;
  }

  void add_records(std::string_view name, Uuid id, const TopicConfigs& configs,
                   const std::vector<PartitionRegistration>& partitions) {
    plan_.records.add(protocol::TopicRecord{.name = name, .topic_id = id}, 0);
    for (const auto& [key, value] : configs)
      plan_.records.add(protocol::ConfigRecord{.resource_type = static_cast<int8_t>(ConfigType::kTopic),
                                               .resource_name = name,
                                               .name = key,
                                               .value = value},
                        0);
    // As after any change of it: eligible leaders were counted by the former value.
    if (configs.contains("min.insync.replicas") &&
        view_.image.feature_level(kEligibleLeaderReplicasFeature) > 0)
      plan_.records.add(protocol::ClearElrRecord{.topic_name = name}, 0);
    const int16_t version = view_.image.metadata_version().partition_record;
    for (size_t i = 0; i < partitions.size(); ++i)
      plan_.records.add(partitions[i].to_record(id, PartitionId(static_cast<int32_t>(i))), version);
  }

  void add_result(std::string_view name, Uuid id, const TopicConfigs& configs,
                  const std::vector<PartitionRegistration>& partitions) {
    CreatableTopicResult& result = plan_.response.topics.emplace_back();
    result.name = name;
    result.topic_id = id;
    result.error_message = std::nullopt;
    if (!TopicAccess::allows(access_.describe_configs, name)) {
      result.topic_config_error_code = static_cast<int16_t>(ErrorCode::kTopicAuthorizationFailed);
      return;
    }
    result.num_partitions = static_cast<int32_t>(partitions.size());
    result.replication_factor = static_cast<int16_t>(partitions.front().replicas.size());
    for (config::TopicSetting& config : settings_in_force(configs, view_.image, view_.options)) {
      auto& out = result.configs->emplace_back();
      out.name = config.key;
      out.value = std::nullopt;
      if (config.value) out.value = plan_.arena.keep(std::move(*config.value));
      out.config_source = static_cast<int8_t>(config.source);
    }
  }

  void add_error(std::string_view name, Error error) {
    CreatableTopicResult& result = plan_.response.topics.emplace_back();
    result.name = name;
    result.error_code = static_cast<int16_t>(error.code);
    result.error_message = plan_.arena.keep(std::move(error.message));
  }

  const ControllerView& view_;
  const Request& request_;
  const TopicAccess& access_;
  RandomStream& random_;
  std::set<std::string_view> duplicates_;
  std::map<std::string_view, Error> refused_;
  Plan<Response> plan_;
};

}  // namespace

Result<Plan<Response>> plan_create_topics(const ControllerView& view, const Request& request,
                                          const TopicAccess& access, RandomStream& random) {
  return Creation(view, request, access, random).plan();
}

}  // namespace moldau
