// For tests: the commands about partitions. See scenario.h.
#pragma once
#include "controller/directory_planner.h"
#include "controller/election_planner.h"
#include "controller/isr_planner.h"
#include "controller/placeholder_filling.h"
#include "controller/reassignment_planner.h"
#include "controller/testdata/scenario_world.h"

namespace moldau::test {

class PartitionCommands : public ScenarioWorld {
 protected:
  bool run_partition_command(const std::string& command) {
    static const std::map<std::string, void (PartitionCommands::*)()> kCommands = {
        {"isr", &PartitionCommands::alter_isr},       {"elect", &PartitionCommands::elect},
        {"reassign", &PartitionCommands::reassign},   {"list", &PartitionCommands::list},
        {"directory", &PartitionCommands::directory}, {"balance", &PartitionCommands::balance},
        {"fill", &PartitionCommands::fill},           {"sweep", &PartitionCommands::sweep},
        {"log", &PartitionCommands::write_to_log},    {"unclean", &PartitionCommands::unclean},
        {"show", &PartitionCommands::show},           {"states", &PartitionCommands::states}};
    const auto it = kCommands.find(command);
    if (it == kCommands.end()) return false;
    (this->*it->second)();
    return true;
  }

 private:
  static std::vector<int32_t> optional_numbers(const std::string& text) {
    return text == "none" ? std::vector<int32_t>() : numbers(text);
  }
  static std::string list_of(const std::vector<int32_t>& ids) {
    std::string s;
    for (int32_t id : ids) s += (s.empty() ? "" : ",") + std::to_string(id);
    return s.empty() ? "none" : s;
  }

  // By AlterPartition, as the leader, with the epochs that the image has.
  void alter_isr() {
    const auto [topic, index] = partition();
    const PartitionRegistration* p = topic ? topic->partition(index) : nullptr;
    const BrokerId sender(static_cast<int32_t>(number("from", p ? p->leader.value : -1)));
    const BrokerRegistration* b = image().broker(sender);
    protocol::AlterPartitionRequest request;
    request.broker_id = sender.value;
    request.broker_epoch = number("broker_epoch", b ? b->epoch.value : -1);
    protocol::AlterPartitionRequest::PartitionData wish;
    wish.partition_index = index.value;
    wish.leader_epoch = static_cast<int32_t>(number("leader_epoch", p ? p->leader_epoch.value : 0));
    wish.partition_epoch = static_cast<int32_t>(number("partition_epoch", p ? p->partition_epoch.value : 0));
    wish.leader_recovery_state = static_cast<int8_t>(has("recovering") ? 1 : 0);
    std::vector<int32_t> members;
    if (words_.at(1) == "active") {
      for (int32_t id : p ? p->replicas.to_vector() : members)
        if (image().is_active(BrokerId(id))) members.push_back(id);
    } else if (words_.at(1) == "alone") {
      members = {sender.value};
    } else {
      members = optional_numbers(words_.at(1));
    }
    for (int32_t id : members)
      wish.new_isr_with_epochs.push_back({.broker_id = id, .broker_epoch = number("member_epoch", -1)});
    request.topics.push_back({.topic_id = topic ? topic->id : Uuid{55, 5}, .partitions = {wish}});
    auto plan = plan_alter_partition(view(), request, 3);
    if (!plan) return print_error(plan.error());
    apply_plan(*plan);
    const auto& answer = plan->response.topics[0].partitions[0];
    const ErrorCode error = static_cast<ErrorCode>(answer.error_code);
    if (error != ErrorCode::kNone) out_ << "=> " << text(error) << "\n";
  }
  void elect() {
    protocol::ElectLeadersRequest request;
    request.election_type = static_cast<int8_t>(number("type", words_.at(0) == "unclean" ? 1 : 0));
    request.topic_partitions.emplace();
    std::vector<std::string> names;
    for (const std::string& w : words_)
      if (w.find('-') != w.npos) names.push_back(w.substr(0, w.rfind('-')));
    size_t i = 0;
    for (const std::string& w : words_)
      if (w.find('-') != w.npos)
        request.topic_partitions->push_back(
            {.topic = names[i++], .partitions = {std::stoi(w.substr(w.rfind('-') + 1))}});
    if (has("all")) request.topic_partitions.reset();
    auto plan = plan_elect_leaders(view(), request);
    if (!plan) return print_error(plan.error());
    apply_plan(*plan);
    for (const auto& topic : plan->response.replica_election_results)
      for (const auto& p : topic.partition_result)
        out_ << "=> " << topic.topic << "-" << p.partition_id << ": "
             << text(static_cast<ErrorCode>(p.error_code), p.error_message) << "\n";
  }
  // reassign NAME-P 4,5,6 | cancel …
  void reassign() {
    protocol::AlterPartitionReassignmentsRequest request;
    request.allow_replication_factor_change = !has("same_factor");
    std::vector<std::string> names;
    for (size_t i = 0; i + 1 < words_.size(); i += 2)
      names.push_back(words_[i].substr(0, words_[i].rfind('-')));
    for (size_t i = 0; i + 1 < words_.size(); i += 2) {
      protocol::AlterPartitionReassignmentsRequest::ReassignablePartition wish;
      wish.partition_index = std::stoi(words_[i].substr(words_[i].rfind('-') + 1));
      if (words_[i + 1] != "cancel") wish.replicas = optional_numbers(words_[i + 1]);
      request.topics.push_back({.name = names[i / 2], .partitions = {wish}});
    }
    auto plan = plan_reassignments(view(), request);
    if (!plan) return print_error(plan.error());
    apply_plan(*plan);
    for (const auto& topic : plan->response.responses)
      for (const auto& p : topic.partitions)
        out_ << "=> " << topic.name << "-" << p.partition_index << ": "
             << text(static_cast<ErrorCode>(p.error_code), p.error_message) << "\n";
  }
  void list() {
    protocol::ListPartitionReassignmentsRequest request;
    if (!words_.empty()) {
      request.topics.emplace();
      for (const std::string& w : words_)
        request.topics->push_back({.name = std::string_view(w).substr(0, w.rfind('-')),
                                   .partition_indexes = {std::stoi(w.substr(w.rfind('-') + 1))}});
    }
    const auto plan = list_reassignments(image(), request);
    for (const auto& topic : plan.response.topics)
      for (const auto& p : topic.partitions)
        out_ << topic.name << "-" << p.partition_index << " replicas=" << list_of(p.replicas)
             << " adding=" << list_of(p.adding_replicas) << " removing=" << list_of(p.removing_replicas)
             << "\n";
  }
  // directory BROKER NUMBER NAME-P…
  void directory() {
    protocol::AssignReplicasToDirsRequest request;
    request.broker_id = id();
    const BrokerRegistration* b = image().broker(BrokerId(id()));
    request.broker_epoch = number("epoch", b ? b->epoch.value : -1);
    auto& wish = request.directories.emplace_back();
    wish.id = directories(words_.at(1))[0];
    for (size_t i = 2; i < words_.size(); ++i) {
      const size_t dash = words_[i].rfind('-');
      if (dash == std::string::npos) continue;
      const TopicImage* topic = image().topic(words_[i].substr(0, dash));
      wish.topics.push_back({.topic_id = topic ? topic->id : Uuid{55, 5},
                             .partitions = {{std::stoi(words_[i].substr(dash + 1))}}});
    }
    auto plan = plan_assign_replicas_to_dirs(view(), request);
    if (!plan) return print_error(plan.error());
    apply_plan(*plan);
    for (const auto& topic : plan->response.directories[0].topics)
      for (const auto& p : topic.partitions)
        if (p.error_code) out_ << "=> " << text(static_cast<ErrorCode>(p.error_code)) << "\n";
  }
  void balance() {
    const OwnPlan pass = plan_preferred_elections(view(), preferred_, now_);
    apply_plan(pass);
    if (pass.more) out_ << "and more\n";
  }
  void print_fill(const OwnPlan& pass) {
    apply_plan(pass);
    if (pass.more) out_ << "and more\n";
  }
  void fill() { print_fill(plan_filling(view(), BrokerId(id()))); }
  void sweep() { print_fill(plan_filling_sweep(view())); }
  // What no planner makes.
  void write_to_log() {
    const auto [topic, index] = partition();
    protocol::PartitionChangeRecord record{.partition_id = index.value, .topic_id = topic->id};
    if (const auto isr = value("isr")) record.isr = numbers(*isr);
    if (const auto replicas = value("replicas")) record.replicas = numbers(*replicas);
    RecordBuffer records;
    records.add(record, 2);
    apply(records);
  }
  void unclean() { apply_plan(plan_unclean_elections(view())); }
  void show() {
    const TopicImage* topic = image().topic(words_.at(0));
    if (!topic) {
      out_ << "no such topic\n";
      return;
    }
    topic->partitions.for_each([&](PartitionId p, const PartitionRegistration& r) {
      out_ << topic->name << "-" << p.value << " leader=" << r.leader.value << " isr=";
      for (int32_t i : r.isr.raw()) out_ << i << " ";
      out_ << name_of(state_of(&r)) << "\n";
    });
  }
  void states() {
    const auto [topic, p] = partition();
    const PartitionRegistration* r = topic ? topic->partition(p) : nullptr;
    out_ << name_of(state_of(r)) << ":";
    if (r)
      for (int32_t i : r->replicas.raw())
        out_ << " " << i << " " << name_of(state_of(image(), r, BrokerId(i)));
    out_ << "\n";
  }
};

}  // namespace moldau::test
