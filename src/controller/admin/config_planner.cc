#include "controller/admin/config_planner.h"

#include <algorithm>

#include "config/alteration.h"
#include "config/resolution.h"
#include "controller/admin/config_validation.h"
#include "protocol/metadata/clear_elr_record.h"
#include "protocol/metadata/config_record.h"

namespace moldau {
namespace {

using Change = std::pair<std::string, std::optional<std::string>>;  // a key and what it has then
using Changes = std::vector<Change>;

constexpr std::string_view kMinIsr = "min.insync.replicas";

// What a request writes. Which leaders are eligible was counted by the former min.insync.replicas, so they are forgotten
// when all has changed.
struct Records {
  RecordBuffer configs;
  RecordBuffer clear_elr;
  size_t size() const { return configs.size() + clear_elr.size(); }
};

const config::Key* find_key(ConfigType type, std::string_view name) {
  switch (type) {
    case ConfigType::kTopic: return config::find(config::topic_keys(), name);
    case ConfigType::kBroker: return config::find_broker_key(name);
    case ConfigType::kGroup:  // of these, Kafka's controller doesn't know that they have lists
    case ConfigType::kClientMetrics:
    case ConfigType::kBrokerLogger: break;
  }
  return nullptr;
}

// One resource's present and future.
class Resource {
 public:
  Resource(const ControllerView& view, ConfigResourceView which)
      : view_(view), which_(which), now_(view.image.configs(which.type, which.name)) {
    if (now_) now_->for_each([&](const std::string& k, const std::string& v) { after_[k] = v; });
  }

  const std::string* now(std::string_view key) const { return now_ ? now_->find(key) : nullptr; }

  void change(std::string_view key, std::optional<std::string> value) {
    const std::string* have = now(key);
    const bool same = have ? value && *value == *have : !value;
    if (value)
      after_.insert_or_assign(std::string(key), *value);
    else if (const auto at = after_.find(key); at != after_.end())
      after_.erase(at);
    if (!same || which_.type == ConfigType::kBroker)  // G2
      changes_.emplace_back(key, std::move(value));
  }

  void delete_all_but(const Changes& kept) {
    if (!now_) return;
    now_->for_each([&](const std::string& key, const std::string&) {
      for (const Change& c : kept)
        if (c.first == key) return;
      after_.erase(key);
      changes_.emplace_back(key, std::nullopt);
    });
  }

  Status finish(Records& records) const {
    const bool elr = view_.image.feature_level(kEligibleLeaderReplicasFeature) > 0;
    if (elr) TRY(check_min_isr());
    TRY(validate_configs(view_, which_, after_));
    const auto clears = elr ? static_cast<size_t>(std::ranges::count(changes_, kMinIsr, &Change::first)) : 0;
    if (records.size() + changes_.size() + clears > kMaxRecordsPerPlan) return too_many_records();
    for (const auto& [key, value] : changes_)
      records.configs.add(protocol::ConfigRecord{.resource_type = static_cast<int8_t>(which_.type),
                                                 .resource_name = which_.name,
                                                 .name = key,
                                                 .value = value},
                          0);
    const std::string_view topic = which_.type == ConfigType::kTopic ? which_.name : std::string_view{};
    for (size_t i = 0; i < clears; ++i)
      records.clear_elr.add(protocol::ClearElrRecord{.topic_name = topic}, 0);
    return {};
  }

 private:
  // One value for the whole cluster, so that all count alike who is eligible.
  Status check_min_isr() const {
    for (const auto& [key, value] : changes_) {
      if (key != kMinIsr || which_.type != ConfigType::kBroker) continue;
      if (!which_.name.empty())
        return fail(ErrorCode::kInvalidConfig,
                    "Broker-level min.insync.replicas cannot be altered while ELR is enabled.");
      if (!value)
        return fail(ErrorCode::kInvalidConfig,
                    "Cluster-level min.insync.replicas cannot be removed while ELR is enabled.");
    }
    return {};
  }

  const ControllerView& view_;
  const ConfigResourceView which_;
  const ConfigValues* now_;
  TopicConfigs after_;
  Changes changes_;
};

template <class Response, class Request, class Alter>
Result<Plan<Response>> plan(const Request& request, Alter&& alter) {
  Plan<Response> plan;
  Records records;
  for (const auto& resource : request.resources) {
    const Status altered = alter(resource, records);
    if (!altered && (altered.error().code == ErrorCode::kPolicyViolation ||
                     altered.error().code == ErrorCode::kUnknownServerError))
      return std::unexpected(altered.error());
    auto& answer = plan.response.responses.emplace_back();
    answer.resource_type = resource.resource_type;
    answer.resource_name = resource.resource_name;
    answer.error_message = std::nullopt;
    if (altered) continue;
    answer.error_code = static_cast<int16_t>(altered.error().code);
    answer.error_message = plan.arena.keep(altered.error().message);
  }
  if (request.validate_only) return plan;
  plan.records = std::move(records.configs);
  for (size_t i = 0; i < records.clear_elr.size(); ++i) plan.records.add_framed(records.clear_elr[i]);
  return plan;
}

template <class AlterConfigsResource>
ConfigResourceView which(const AlterConfigsResource& resource) {
  return {static_cast<ConfigType>(resource.resource_type), resource.resource_name};
}

}  // namespace

Result<Plan<protocol::IncrementalAlterConfigsResponse>> plan_incremental_alter_configs(
    const ControllerView& view, const protocol::IncrementalAlterConfigsRequest& request) {
  return plan<protocol::IncrementalAlterConfigsResponse>(
      request, [&](const auto& wish, Records& records) -> Status {
        Resource resource(view, which(wish));
        for (const auto& c : wish.configs) {
          if (!config::is_operation(c.config_operation)) return fail(ErrorCode::kUnknownServerError);
          const auto operation = static_cast<config::Operation>(c.config_operation);
          TRY_ASSIGN(auto value,
                     config::altered(find_key(which(wish).type, c.name), c.name, resource.now(c.name),
                                     operation, c.value.value_or(std::string_view{})));
          resource.change(c.name, std::move(value));
        }
        return resource.finish(records);
      });
}

Result<Plan<protocol::AlterConfigsResponse>> plan_alter_configs(
    const ControllerView& view, const protocol::AlterConfigsRequest& request) {
  return plan<protocol::AlterConfigsResponse>(request, [&](const auto& wish, Records& records) -> Status {
    Resource resource(view, which(wish));
    Changes kept;
    for (const auto& c : wish.configs) {
      resource.change(c.name, std::string(c.value.value_or(std::string_view{})));
      kept.emplace_back(c.name, std::nullopt);
    }
    resource.delete_all_but(kept);
    return resource.finish(records);
  });
}

}  // namespace moldau
