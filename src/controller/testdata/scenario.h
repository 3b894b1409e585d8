// For tests: a controller without a log, driven by lines of text. Commands:
//
//   option KEY=VALUE…                 min (partitions), replication, delete, timeout (s), or a broker's configuration key
//   brokers 1 2@rack…                 registered and unfenced
//   register ID [rack=R] [incarnation=N] [dirs=N,N] [cluster=C] [levels=7-33] [zk]
//   heartbeat ID [fence] [shutdown] [behind] [offset=N] [epoch=N] [offline=N,N] [cordoned=N]
//   wait SECONDS [unwatched]          then sessions that ran out are fenced one by one
//   create NAME [partitions=N] [replicas=N] [assign=1,2;2,3] [KEY=VALUE…] [null=KEY] [twice] [validate] [denied]
//   delete NAME… | delete id=NAME     [denied] [hidden] [version=N]
//   unregister ID | producers ID | isr NAME-P 1,2 | show NAME | states NAME-P | new controller
//
// What a command prints: the records that it makes, then `=> ` and the answer.
#pragma once
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "controller/activation.h"
#include "controller/broker_planner.h"
#include "controller/partition_states.h"
#include "controller/producer_id_planner.h"
#include "controller/replica_states.h"
#include "controller/testdata/record_text.h"
#include "controller/admin/topic_deletion.h"
#include "controller/topic_planner.h"
#include "metadata/bootstrap_records.h"

namespace moldau::test {

class Scenario {
 public:
  Scenario() {
    options_.node_id = BrokerId(100);
    options_.cluster_id = "c";
    activate();
    out_.str("");
  }

  virtual ~Scenario() = default;

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
    else if (command == "isr")
      set_isr();
    else if (command == "show")
      show();
    else if (command == "states")
      states();
    else if (command == "new")
      activate();
    else
      run_more(command);
    return out_.str();
  }

 protected:
  virtual void run_more(const std::string& command) { out_ << "no such command: " << command << "\n"; }

  // ---- words

  bool has(const std::string& word) const { return std::ranges::find(words_, word) != words_.end(); }
  std::optional<std::string> value(const std::string& key) const {
    for (const std::string& w : words_)
      if (w.starts_with(key + "=")) return w.substr(key.size() + 1);
    return std::nullopt;
  }
  int64_t number(const std::string& key, int64_t otherwise) const {
    const auto v = value(key);
    return v ? std::stoll(*v) : otherwise;
  }
  static std::vector<int32_t> numbers(const std::string& text, char separator = ',') {
    std::vector<int32_t> all;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) all.push_back(std::stoi(part));
    return all;
  }
  static std::vector<Uuid> directories(const std::string& text) {
    std::vector<Uuid> all;
    for (int32_t n : numbers(text)) all.push_back(Uuid{n < 1000 ? 0u : 9u, static_cast<uint64_t>(n)});
    return all;
  }
  int32_t id() const { return std::stoi(words_.at(0)); }

  // ---- the state

  const ClusterImage& image() const { return replay_.image(); }
  ControllerView view() const { return {image(), index_, sessions_, options_}; }
  void apply(const RecordBuffer& records) {
    const ClusterImage before = image();
    for (size_t i = 0; i < records.size(); ++i) {
      const Status done = replay_.replay(records[i], {next_, LeaderEpoch(1), 0});
      ++next_;
      if (!done) out_ << "replay refuses: " << done.error().message << "\n";
      out_ << RecordText(before, image()).of(records[i]) << "\n";
    }
    const ImageChange change = replay_.take();
    index_.apply(*change.delta, *change.image);
    ClusterIndex anew;
    anew.rebuild(*change.image);
    if (!(anew == index_)) out_ << "the index isn't a function of the image\n";
  }
  void print_error(const Error& error) {
    out_ << "=> " << error_name(error.code) << ": " << error.message << "\n";
  }
  template <class T>
  void print_result(const Result<T>& result) {
    if (!result) print_error(result.error());
  }

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
      request.features = {{"metadata.version", 7, 33}};
    else if (*levels != "none")
      request.features = {{"metadata.version", static_cast<int16_t>(numbers(*levels, '-')[0]),
                           static_cast<int16_t>(numbers(*levels, '-')[1])}};
    const auto rack = value("rack");
    request.rack = std::nullopt;
    if (rack) request.rack = *rack;
    request.is_migrating_zk_broker = has("zk");
    request.log_dirs = directories(value("dirs").value_or(std::to_string(1000 + id())));
    auto plan = plan_broker_registration(view(), request, next_, now_);
    if (!plan) return std::unexpected(plan.error());
    apply(plan->records);
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
    if (const auto dirs = value("cordoned")) request.cordoned_log_dirs = directories(*dirs);
    auto plan = plan_heartbeat(view(), request);
    if (!plan) return print_error(plan.error());
    apply(plan->records);
    const BrokerId broker(id());
    sessions_.touch(broker, BrokerEpoch(request.broker_epoch), now_);
    sessions_.heard_offset(broker, Offset(request.current_metadata_offset));
    if (plan->response.is_fenced) sessions_.end_shutdown(broker);
    if (plan->next == BrokerControlState::kControlledShutdown)
      sessions_.begin_shutdown(broker, next_ - int64_t{1});
    out_ << "=> " << name_of(plan->next) << (plan->response.is_caught_up ? "" : ", not caught up") << "\n";
  }
  void wait() {
    now_ += std::chrono::seconds(id());
    if (has("unwatched")) return;
    while (const auto expired = sessions_.take_expired(now_)) {
      const BrokerRegistration* b = image().broker(expired->id);
      if (!b || b->fenced || b->epoch != expired->epoch) continue;
      out_ << "broker " << expired->id.value << " is silent\n";
      apply(plan_fencing(view(), expired->id));
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
    apply(plan->records);
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
    apply(plan->records);
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
    apply(plan->records);
  }
  void producers() {
    const BrokerRegistration* b = image().broker(BrokerId(id()));
    auto plan = plan_producer_ids(
        view(), {.broker_id = id(), .broker_epoch = number("epoch", b ? b->epoch.value : -1)});
    if (!plan) return print_error(plan.error());
    apply(plan->records);
    out_ << "=> " << plan->response.producer_id_start << " and " << plan->response.producer_id_len
         << " in all\n";
  }
  std::pair<const TopicImage*, PartitionId> partition() const {
    const std::string& w = words_.at(0);
    const size_t dash = w.rfind('-');
    return {image().topic(w.substr(0, dash)), PartitionId(std::stoi(w.substr(dash + 1)))};
  }
  void set_isr() {  // as a leader would have it by AlterPartition
    const auto [topic, p] = partition();
    protocol::PartitionChangeRecord r{.partition_id = p.value, .topic_id = topic->id};
    r.isr = numbers(words_.at(1));
    RecordBuffer records;
    records.add(r, 2);
    apply(records);
  }
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

  ControllerOptions options_;
  ImageReplay replay_;
  ClusterIndex index_;
  BrokerSessions sessions_{options_.session_timeout};
  RandomStream random_{{1, 2, 3, 4}};
  Offset next_{0};
  Instant now_{};
  std::vector<std::string> words_;
  std::ostringstream out_;
};

}  // namespace moldau::test
