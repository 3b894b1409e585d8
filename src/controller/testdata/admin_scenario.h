// For tests: the scenario's commands for administration:
//
//   grow NAME COUNT [assign=1,2;2,3] [twice] [validate] [denied]
//   alter KIND NAME [set:KEY=VALUE] [delete:KEY] [append:KEY=VALUE] [subtract:KEY=VALUE] [odd:KEY] [validate]
//   replace KIND NAME [KEY=VALUE…]                         KIND is topic, broker, group or metrics; '' is no name
#pragma once
#include "controller/admin/config_planner.h"
#include "controller/admin/partition_creation.h"
#include "controller/testdata/scenario.h"

namespace moldau::test {

class AdminScenario : public Scenario {
 protected:
  void run_more(const std::string& command) override {
    if (command == "grow")
      grow();
    else if (command == "alter")
      alter();
    else if (command == "replace")
      replace();
    else
      Scenario::run_more(command);
  }

 private:
  template <class Message>
  void print(std::string_view what, int16_t code, const Message& message) {
    out_ << "=> " << what << ": " << error_name(static_cast<ErrorCode>(code));
    if (message) out_ << ": " << *message;
    out_ << "\n";
  }

  void grow() {
    protocol::CreatePartitionsRequest request;
    protocol::CreatePartitionsRequest::CreatePartitionsTopic topic;
    topic.name = words_.at(0);
    topic.count = std::stoi(words_.at(1));
    topic.assignments = std::nullopt;
    if (const auto assign = value("assign")) {
      topic.assignments.emplace();
      std::istringstream in(*assign);
      for (std::string part; std::getline(in, part, ';');) topic.assignments->push_back({numbers(part)});
    }
    request.topics.push_back(topic);
    if (has("twice")) request.topics.push_back(topic);
    request.validate_only = has("validate");
    TopicAccess access;
    if (has("denied")) access.alter = [](std::string_view) { return false; };
    auto plan = plan_create_partitions(view(), request, access, random_);
    if (!plan) return print_error(plan.error());
    apply(plan->records);
    for (const auto& r : plan->response.results) print(r.name, r.error_code, r.error_message);
  }

  static int8_t kind_of(const std::string& word) {
    return word == "topic" ? 2 : word == "broker" ? 4 : word == "metrics" ? 16 : word == "group" ? 32 : 77;
  }
  std::string resource_name() const { return words_.at(1) == "''" ? "" : words_.at(1); }

  void alter() {
    constexpr std::string_view kOperations[] = {"set:", "delete:", "append:", "subtract:", "odd:"};
    protocol::IncrementalAlterConfigsRequest request;
    auto& resource = request.resources.emplace_back();
    const std::string name = resource_name();
    resource.resource_type = kind_of(words_.at(0));
    resource.resource_name = name;
    for (size_t i = 2; i < words_.size(); ++i) {
      for (size_t n = 0; n < std::size(kOperations); ++n) {
        if (!words_[i].starts_with(kOperations[n])) continue;
        const std::string_view entry = std::string_view(words_[i]).substr(kOperations[n].size());
        const size_t equals = std::min(entry.find('='), entry.size());
        auto& config = resource.configs.emplace_back();
        config.name = entry.substr(0, equals);
        config.config_operation = static_cast<int8_t>(n);
        config.value = std::nullopt;
        if (equals < entry.size()) config.value = entry.substr(equals + 1);
      }
    }
    request.validate_only = has("validate");
    auto plan = plan_incremental_alter_configs(view(), request);
    if (!plan) return print_error(plan.error());
    apply(plan->records);
    for (const auto& r : plan->response.responses) print(words_.at(1), r.error_code, r.error_message);
  }

  void replace() {
    protocol::AlterConfigsRequest request;
    auto& resource = request.resources.emplace_back();
    const std::string name = resource_name();
    resource.resource_type = kind_of(words_.at(0));
    resource.resource_name = name;
    for (size_t i = 2; i < words_.size(); ++i) {
      const std::string_view entry = words_[i];
      resource.configs.push_back({entry.substr(0, entry.find('=')), entry.substr(entry.find('=') + 1)});
    }
    auto plan = plan_alter_configs(view(), request);
    if (!plan) return print_error(plan.error());
    apply(plan->records);
    for (const auto& r : plan->response.responses) print(words_.at(1), r.error_code, r.error_message);
  }
};

}  // namespace moldau::test
