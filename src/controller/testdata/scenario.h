// For tests: a controller without a log, driven by lines of text. Commands:
//
//   option KEY=VALUE…                 min (partitions), replication, delete, timeout (s), or a broker's configuration key
//   brokers 1 2@rack…                 registered and unfenced
//   register ID [rack=R] [incarnation=N] [dirs=N,N] [cluster=C] [levels=7-33] [zk] [previous=clean]
//   heartbeat ID [fence] [shutdown] [behind] [offset=N] [epoch=N] [offline=N,N] [cordoned=N]
//   wait SECONDS [unwatched]          then sessions that ran out are fenced one by one
//   silent ID                         its session has run out
//   create NAME [partitions=N] [replicas=N] [assign=1,2;2,3] [KEY=VALUE…] [null=KEY] [twice] [validate] [denied]
//   delete NAME… | delete id=NAME     [denied] [hidden] [version=N]
//   unregister ID | producers ID | controller ID [gone] | config NAME|* KEY=VALUE | feature NAME=LEVEL | new controller
// About partitions (partition_commands.h):
//   isr NAME-P 1,2|active|alone [from=ID] [leader_epoch=N] [partition_epoch=N] [broker_epoch=N] [member_epoch=N] [recovering]
//   elect preferred|unclean NAME-P… | all          reassign NAME-P 4,5,6|cancel… [same_factor]
//   list [NAME-P…]          directory ID NUMBER NAME-P…          balance | unclean | sweep (a periodic pass)
//   fill ID                                        (what follows when a broker becomes active)
//   log NAME-P [isr=1,2] [replicas=1,2]   (a record that no planner makes)
//   show NAME | states NAME-P
//
// What a command prints: the records that it makes, then `=> ` and the answer.
#pragma once
#include "controller/activation.h"
#include "controller/admin/topic_deletion.h"
#include "controller/producer_id_planner.h"
#include "controller/testdata/partition_commands.h"

#include "controller/topic_planner.h"
#include "metadata/bootstrap_records.h"
#include "protocol/metadata/config_record.h"
#include "protocol/metadata/feature_level_record.h"

namespace moldau::test {

class Scenario : public PartitionCommands {
 public:
  Scenario() {
    options_.node_id = BrokerId(100);
    options_.cluster_id = "c";
    activate();
    out_.str("");
  }

  std::string run(const std::string& line) {
    out_.str("");
    std::istringstream in(line);
    std::string command;
    in >> command;
    words_.clear();
    for (std::string word; in >> word;) words_.push_back(word);
    if (command == "option")
      option();
    else if (command == "brokers")
      brokers();
    else if (command == "register")
      print_result(register_broker());
    else if (command == "heartbeat")
      heartbeat();
    else if (command == "silent")
      silent();
    else if (command == "wait")
      wait();
    else if (command == "create")
      create();
    else if (command == "delete")
      remove();
    else if (command == "unregister")
      unregister();
    else if (command == "producers")
      producers();
    else if (command == "controller")
      controller();
    else if (command == "config")
      configure();
    else if (command == "feature")
      finalize();
    else if (command == "new")
      activate();
    else if (!run_partition_command(command))
      run_more(command);
    return out_.str();
  }

 protected:
  virtual void run_more(const std::string& command) { out_ << "no such command: " << command << "\n"; }

 private:
  // ---- commands

  void option() {
    for (const std::string& w : words_) {
      const std::string key = w.substr(0, w.find('=')), v = w.substr(w.find('=') + 1);
      if (key == "partitions")
        options_.default_partitions = std::stoi(v);
      else if (key == "replication")
        options_.default_replication_factor = static_cast<int16_t>(std::stoi(v));
      else if (key == "delete")
        options_.delete_topic_enable = v == "true";
      else
        options_.broker_configs[key] = v;
    }
  }
  void activate() {
    sessions_ = BrokerSessions(options_.session_timeout);
    preferred_.rebuild(image(), now_);
    auto activation = plan_activation(replay_, default_bootstrap_records());
    if (!activation) return print_error(activation.error());
    apply(activation->records);
    image().brokers().for_each([&](BrokerId id, const BrokerRegistration& b) {
      if (!b.fenced) sessions_.touch(id, b.epoch, now_);
    });
  }
  void brokers() {
    for (const std::string& word : std::vector<std::string>(words_)) {
      const size_t at = word.find('@');
      words_ = {word.substr(0, at)};
      if (at != word.npos) words_.push_back("rack=" + word.substr(at + 1));
      print_result(register_broker());
      heartbeat();
    }
    out_.str("");
  }
  Status register_broker() {
    protocol::BrokerRegistrationRequest request;
    request.broker_id = id();
    const std::string cluster = value("cluster").value_or("c");
    request.cluster_id = cluster;
    request.incarnation_id = {77, static_cast<uint64_t>(number("incarnation", 1))};
    const auto levels = value("levels");
    if (!levels)
      request.features = {{"metadata.version", 7, 33}, {"eligible.leader.replicas.version", 0, 1}};
    else if (*levels != "none")
      request.features = {{"metadata.version", static_cast<int16_t>(numbers(*levels, '-')[0]),
                           static_cast<int16_t>(numbers(*levels, '-')[1])}};
    const auto rack = value("rack");
    request.rack = std::nullopt;
    if (rack) request.rack = *rack;
    if (const BrokerRegistration* b = image().broker(BrokerId(id())); b && value("previous") == "clean")
      request.previous_broker_epoch = b->epoch.value;
    request.is_migrating_zk_broker = has("zk");
    if (has("unnamed")) request.listeners = {{"", "host", 9092, 0}};
    request.log_dirs = directories(value("dirs").value_or(std::to_string(1000 + id())));
    auto plan = plan_broker_registration(view(), request, next_, now_);
    if (!plan) return std::unexpected(plan.error());
    const BrokerRegistration* former = image().broker(BrokerId(id()));
    if (former && former->incarnation != request.incarnation_id) sessions_.forget(former->id);
    apply_plan(*plan);
    out_ << "=> epoch " << plan->response.broker_epoch << "\n";
    return {};
  }
  void heartbeat() {
    const BrokerRegistration* b = image().broker(BrokerId(id()));
    protocol::BrokerHeartbeatRequest request;
    request.broker_id = id();
    request.broker_epoch = number("epoch", b ? b->epoch.value : -1);
    request.current_metadata_offset = number("offset", has("behind") ? 0 : next_.value - 1);
    request.want_fence = has("fence");
    request.want_shut_down = has("shutdown");
    if (const auto dirs = value("offline")) request.offline_log_dirs = directories(*dirs);
    if (const auto dirs = value("cordoned"))
      request.cordoned_log_dirs = *dirs == "none" ? std::vector<Uuid>() : directories(*dirs);
    auto plan = plan_heartbeat(view(), request);
    if (!plan) return print_error(plan.error());
    apply_plan(*plan);
    const BrokerId broker(id());
    sessions_.touch(broker, BrokerEpoch(request.broker_epoch), now_);
    sessions_.heard_offset(broker, Offset(request.current_metadata_offset));
    if (plan->response.is_fenced) sessions_.end_shutdown(broker);
    if (plan->next == BrokerControlState::kControlledShutdown)
      sessions_.begin_shutdown(broker, next_ - int64_t{1});
    out_ << "=> " << name_of(plan->next) << (plan->response.is_caught_up ? "" : ", not caught up") << "\n";
  }
  void silent() {
    const BrokerRegistration* b = image().broker(BrokerId(id()));
    if (!b || b->fenced) return;
    apply_plan(plan_fencing(view(), b->id));
    sessions_.end_shutdown(BrokerId(id()));
  }
  void wait() {
    now_ += std::chrono::seconds(id());
    if (has("unwatched")) return;
    while (const auto expired = sessions_.take_expired(now_)) {
      const BrokerRegistration* b = image().broker(expired->id);
      if (!b || b->fenced || b->epoch != expired->epoch) continue;
      out_ << "broker " << expired->id.value << " is silent\n";
      apply_plan(plan_fencing(view(), expired->id));
    }
  }
  void create() {
    protocol::CreateTopicsRequest request;
    protocol::CreateTopicsRequest::CreatableTopic topic;
    const std::string name = words_.at(0) == "''" ? "" : words_.at(0);
    topic.name = name;
    const auto assign = value("assign");
    topic.num_partitions = static_cast<int32_t>(number("partitions", -1));
    topic.replication_factor = static_cast<int16_t>(number("replicas", -1));
    if (assign) {
      std::istringstream in(*assign);
      int32_t index = static_cast<int32_t>(number("from", 0));
      for (std::string part; std::getline(in, part, ';');)
        topic.assignments.push_back({index++, numbers(part)});
    }
    const auto null = value("null");
    if (null) topic.configs.push_back({*null, std::nullopt});
    std::vector<std::pair<std::string, std::string>> configs;
    for (const std::string& w : words_)
      if (w.find('.') < w.find('=') && w.find('=') != w.npos)
        configs.emplace_back(w.substr(0, w.find('=')), w.substr(w.find('=') + 1));
    for (const auto& [k, v] : configs) topic.configs.push_back({k, v});
    request.topics.push_back(topic);
    if (has("twice")) request.topics.push_back(topic);
    request.validate_only = has("validate");
    TopicAccess access;
    if (has("denied")) access.create = [](std::string_view) { return false; };
    if (has("undescribed")) access.describe_configs = [](std::string_view) { return false; };
    auto plan = plan_create_topics(view(), request, access, random_);
    if (!plan) return print_error(plan.error());
    apply_plan(*plan);
    for (const auto& r : plan->response.topics) print_topic(r);
  }
  void print_topic(const protocol::CreateTopicsResponse::CreatableTopicResult& r) {
    out_ << "=> " << r.name << ": " << error_name(static_cast<ErrorCode>(r.error_code));
    if (r.error_message)
      out_ << ": " << *r.error_message;
    else if (r.topic_config_error_code)
      out_ << ", configuration " << error_name(static_cast<ErrorCode>(r.topic_config_error_code));
    else
      out_ << ", " << r.num_partitions << " partitions, " << r.replication_factor << " replicas";
    for (const auto& c : *r.configs)
      if (c.config_source != 5)
        out_ << ", " << c.name << "=" << c.value.value_or("null") << " (source "
             << static_cast<int>(c.config_source) << ")";
    out_ << "\n";
  }
  void remove() {
    protocol::DeleteTopicsRequest request;
    std::vector<std::string> words = words_;
    for (const std::string& w : words) {
      if (w == "denied" || w == "hidden" || w.starts_with("version=")) continue;
      const std::string name = w.starts_with("id=") ? w.substr(3) : w;
      const TopicImage* topic = image().topic(name);
      if (w == "nothing")
        request.topics.emplace_back();
      else if (w == "both")
        request.topics.push_back({.name = "both", .topic_id = Uuid{1, 1}});
      else if (w.starts_with("id="))
        request.topics.push_back({.name = std::nullopt, .topic_id = topic ? topic->id : Uuid{55, 5}});
      else
        request.topics.push_back({.name = w, .topic_id = {}});
    }
    TopicAccess access;
    if (has("denied") || has("hidden")) access.remove = [](std::string_view) { return false; };
    if (has("hidden")) access.describe = [](std::string_view) { return false; };
    auto plan = plan_delete_topics(view(), request, static_cast<int16_t>(number("version", 6)), access);
    if (!plan) return print_error(plan.error());
    apply_plan(*plan);
    for (const auto& r : plan->response.responses) {
      out_ << "=> " << r.name.value_or("(no name)") << ": "
           << error_name(static_cast<ErrorCode>(r.error_code));
      if (r.error_message) out_ << ": " << *r.error_message;
      out_ << "\n";
    }
  }
  void unregister() {
    auto plan = plan_unregister_broker(view(), BrokerId(id()));
    if (!plan) return print_error(plan.error());
    sessions_.forget(BrokerId(id()));
    apply_plan(*plan);
  }
  void controller() {
    if (has("gone")) {
      auto plan = plan_unregister_controller(view(), BrokerId(id()));
      if (!plan) return print_error(plan.error());
      return apply_plan(*plan);
    }
    auto plan = plan_controller_registration(image(), {.controller_id = id(), .incarnation_id = Uuid{77, 1}});
    if (!plan) return print_error(plan.error());
    apply_plan(*plan);
  }
  void producers() {
    const BrokerRegistration* b = image().broker(BrokerId(id()));
    auto plan = plan_producer_ids(
        view(), {.broker_id = id(), .broker_epoch = number("epoch", b ? b->epoch.value : -1)});
    if (!plan) return print_error(plan.error());
    apply_plan(*plan);
    out_ << "=> " << plan->response.producer_id_start << " and " << plan->response.producer_id_len
         << " in all\n";
  }
  void configure() {  // of a topic, or of all brokers
    RecordBuffer records;
    const bool topic = words_.at(0) != "*";
    for (size_t i = 1; i < words_.size(); ++i) {
      const size_t at = words_[i].find('=');
      const std::string key = words_[i].substr(0, at), v = words_[i].substr(at + 1);
      protocol::ConfigRecord record{
          .resource_type = static_cast<int8_t>(topic ? 2 : 4), .name = key, .value = v};
      if (topic) record.resource_name = words_[0];
      records.add(record, 0);
    }
    apply(records);
  }
  void finalize() {
    RecordBuffer records;
    const size_t at = words_.at(0).find('=');
    const std::string name = words_[0].substr(0, at);
    records.add(
        protocol::FeatureLevelRecord{
            .name = name, .feature_level = static_cast<int16_t>(std::stoi(words_[0].substr(at + 1)))},
        0);
    apply(records);
  }
};

}  // namespace moldau::test
