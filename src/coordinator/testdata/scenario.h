// Plays a story: one command a line, on one shard with a log of its own. What the commands do appears as text: the records
// that are stored, then the answers that leave. Member ids are shown as M1, M2, … in the order in which they were given out.
//
//   option max_size=2 delay=3 retention=3600 check=600 metadata=10
//   join CALL [group=g] [member=M1] [instance=i] [client=c] [protocols=range,sticky] [type=consumer] [topics=t,u]
//        [session=10] [rebalance=60] [version=5]
//   sync CALL member=M1 generation=1 [assign=M1:a;M2:b] [instance=i] [protocol=range] [type=consumer]
//   heartbeat member=M1 generation=1 [instance=i]     leave M1 M2 i:instance pending:M3
//   commit t-0=5 [t-1=6:metadata] [generation=1 member=M1] [version=9] [retain=seconds]
//   fetch [t-0 t-1] [stable]      forget t-0       delete g     describe [g]     list [state]
//   topic-deleted t               wait SECONDS     fail ERROR    (the next append)
//   txn 7 t-0=5                   txn-end 7 commit|abort          as Apache Kafka's log may have it
//   restart                       a new shard that replays the log
// Everything takes group=NAME; default g.
#pragma once
#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "coordinator/group_shard.h"

namespace moldau::test {

class GroupScenario {
 public:
  GroupScenario() { start(); }

  std::string run(const std::string& line) {
    out_.str("");
    words_.clear();
    std::istringstream in(line);
    std::string command;
    in >> command;
    for (std::string word; in >> word;) words_.push_back(word);
    execute(command);
    return shown(out_.str());
  }

 private:
  struct LogEntry {
    GroupRecord record;
    ProducerId producer = kNoProducerId;
    std::optional<bool> end_of_transaction;
  };

  // ---- words

  std::optional<std::string> value(const std::string& key) const {
    for (const std::string& w : words_)
      if (w.starts_with(key + "=")) return real(w.substr(key.size() + 1));
    return std::nullopt;
  }
  int64_t number(const std::string& key, int64_t otherwise) const {
    const auto v = value(key);
    return v ? std::stoll(*v) : otherwise;
  }
  bool has(const std::string& word) const { return std::ranges::find(words_, word) != words_.end(); }
  std::string group() const { return value("group").value_or("g"); }
  static std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, at);) parts.push_back(part);
    return parts;
  }
  // M1 for the member id that was given out first, and back.
  std::string real(std::string text) const { return replaced(std::move(text), true); }
  std::string shown(std::string text) const { return replaced(std::move(text), false); }
  std::string replaced(std::string text, bool to_real) const {
    for (size_t i = ids_.size(); i-- > 0;) {
      const std::string name = "M" + std::to_string(i + 1);
      const std::string& from = to_real ? name : ids_[i];
      const std::string& to = to_real ? ids_[i] : name;
      for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    }
    return text;
  }
  static std::pair<std::string, int32_t> partition_of(const std::string& text) {
    const size_t dash = text.rfind('-');
    return {text.substr(0, dash), std::stoi(text.substr(dash + 1))};
  }

  // ---- the shard and its log

  void start() {
    shard_ = std::make_unique<GroupShard>(options_);
    Offset offset{0};
    for (const LogEntry& e : log_) {
      if (e.end_of_transaction)
        shard_->replay_end_transaction(e.producer, *e.end_of_transaction);
      else
        replay(e, offset);
      ++offset;
    }
    perform(shard_->loaded(now_));
  }
  void replay(const LogEntry& e, Offset at) {
    const auto bytes = e.record.value ? std::optional(as_bytes(*e.record.value)) : std::nullopt;
    if (const Status done = shard_->replay(as_bytes(e.record.key), bytes, at, e.producer); !done)
      out_ << "replay refuses: " << done.error().message << "\n";
  }
  ErrorCode append(const Effects& effects) {
    if (effects.records.empty()) return ErrorCode::kNone;
    if (const auto error = std::exchange(failure_, std::nullopt)) {
      out_ << "the append fails: " << error_name(*error) << "\n";
      return *error;
    }
    for (const GroupRecord& r : effects.records) {
      print_record(r);
      log_.push_back({r, kNoProducerId, std::nullopt});
      if (effects.replay) replay(log_.back(), Offset(static_cast<int64_t>(log_.size()) - 1));
    }
    return ErrorCode::kNone;
  }
  ErrorCode perform(Effects effects) {
    std::optional<ErrorCode> first;
    for (;;) {
      const ErrorCode stored = append(effects);
      if (!first) first = stored;
      if (stored != ErrorCode::kNone && effects.storing && std::holds_alternative<NewGroup>(*effects.storing))
        effects.joins.clear();
      for (const JoinReply& j : effects.joins) print_join(j);
      for (const SyncReply& s : effects.syncs) print_sync(s);
      if (!effects.storing) return *first;
      effects = shard_->stored(*std::exchange(effects.storing, std::nullopt), stored, now_);
    }
  }

  // ---- text

  static std::string_view text(const std::optional<std::string_view>& t) { return t ? *t : "-"; }
  void print_record(const GroupRecord& r) {
    const auto bytes = r.value ? std::optional(as_bytes(*r.value)) : std::nullopt;
    const auto record = decode_group_record(as_bytes(r.key), bytes);
    if (!record) return void(out_ << "undecodable: " << record.error().message << "\n");
    if (const auto* o = std::get_if<OffsetRecordView>(&*record)) {
      out_ << (o->value ? "Offset " : "Tombstone of Offset ") << o->key.group << " " << o->key.topic << "-" << o->key.partition;
      if (o->value) out_ << " " << o->value->offset;
      if (o->value && !o->value->metadata.empty()) out_ << " '" << o->value->metadata << "'";
      if (o->value && o->value->expire_timestamp != -1) out_ << " expires=" << o->value->expire_timestamp / 1000;
    } else if (const auto* g = std::get_if<GroupRecordView>(&*record)) {
      out_ << (g->value ? "Group " : "Tombstone of Group ") << g->key.group;
      if (g->value) {
        out_ << " generation=" << g->value->generation << " protocol=" << text(g->value->protocol)
             << " leader=" << text(g->value->leader);
        for (const auto& m : g->value->members) out_ << " " << m.member_id << ":" << as_text(m.assignment);
      }
    }
    out_ << "\n";
  }
  void print_join(const JoinReply& j) {
    const auto& r = j.response;
    const std::string member(r.member_id);
    const bool given = r.error_code == 0 || static_cast<ErrorCode>(r.error_code) == ErrorCode::kMemberIdRequired;
    if (given && std::ranges::find(ids_, member) == ids_.end()) ids_.push_back(member);
    out_ << "=> " << calls_[j.call] << ": " << error_name(static_cast<ErrorCode>(r.error_code));
    if (!member.empty()) out_ << " member=" << member;
    if (r.generation_id != -1) out_ << " generation=" << r.generation_id << " protocol=" << text(r.protocol_name) << " leader=" << r.leader;
    if (r.skip_assignment) out_ << " skips the assignment";
    for (const auto& m : r.members) out_ << " " << m.member_id;
    out_ << "\n";
  }
  void print_sync(const SyncReply& s) {
    out_ << "=> " << calls_[s.call] << ": " << error_name(static_cast<ErrorCode>(s.response.error_code));
    if (s.response.error_code == 0) out_ << " '" << as_text(s.response.assignment) << "'";
    out_ << "\n";
  }
  void print_error(ErrorCode error) { out_ << "=> " << error_name(error) << "\n"; }

  // ---- commands

  void execute(const std::string& command) {
    if (command == "option") return option();
    if (command == "join") return join();
    if (command == "sync") return sync();
    if (command == "heartbeat") return heartbeat();
    if (command == "leave") return leave();
    if (command == "commit") return commit();
    if (command == "fetch") return fetch();
    if (command == "forget") return forget();
    if (command == "delete") return remove();
    if (command == "describe") return describe();
    if (command == "list") return list();
    if (command == "topic-deleted") return void(perform(shard_->forget_topics(words_)));
    if (command == "wait") return wait();
    if (command == "fail") return fail_next();
    if (command == "txn") return transaction();
    if (command == "txn-end") return end_transaction();
    if (command == "restart") return start();
    out_ << "unknown command\n";
  }
  void option() {
    options_.max_size = static_cast<int32_t>(number("max_size", options_.max_size));
    options_.initial_rebalance_delay_ms = static_cast<int32_t>(number("delay", 3)) * 1000;
    options_.offsets_retention_ms = number("retention", 604800) * 1000;
    options_.offsets_check_interval = std::chrono::seconds(number("check", 600));
    options_.offset_metadata_max_length = static_cast<int32_t>(number("metadata", 4096));
    start();
  }
  CallId call() {
    calls_[++next_call_] = words_.at(0);
    return next_call_;
  }
  void join() {
    const std::string name = group(), member = value("member").value_or(""), type = value("type").value_or("consumer"),
                      client = value("client").value_or("c");
    const auto instance = value("instance");
    const auto protocols = split(value("protocols").value_or("range"), ',');
    const auto topics = value("topics");
    std::string metadata = topics ? std::string("\0\1", 2) : "?";
    if (topics) {
      const auto names = split(*topics, ',');
      metadata += std::string("\0\0\0", 3) + static_cast<char>(names.size());
      for (const std::string& t : names) metadata += std::string(1, '\0') + static_cast<char>(t.size()) + t;
      metadata += std::string("\xff\xff\xff\xff\0\0\0\0", 8);
    }
    protocol::JoinGroupRequest request;
    request.group_id = name;
    request.member_id = member;
    if (type != "none") request.protocol_type = type;
    if (instance) request.group_instance_id = *instance;
    for (const std::string& p : protocols)
      if (p != "none") request.protocols.push_back({p, as_bytes(metadata)});
    request.session_timeout_ms = static_cast<int32_t>(number("session", 10)) * 1000;
    request.rebalance_timeout_ms = static_cast<int32_t>(number("rebalance", 60)) * 1000;
    const GroupClient who{client, "/1.2.3.4", static_cast<int16_t>(number("version", 5))};
    const CallId id = call();
    perform(shard_->join(request, who, id, {0x1000 + id, 0x4000 + id}, now_));
  }
  void sync() {
    const std::string name = group(), member = value("member").value_or("");
    const auto instance = value("instance"), protocol = value("protocol"), type = value("type");
    std::vector<std::pair<std::string, std::string>> assigned;
    for (const std::string& a : split(value("assign").value_or(""), ';'))
      assigned.emplace_back(a.substr(0, a.find(':')), a.substr(a.find(':') + 1));
    protocol::SyncGroupRequest request;
    request.group_id = name;
    request.member_id = member;
    request.generation_id = static_cast<int32_t>(number("generation", 1));
    if (instance) request.group_instance_id = *instance;
    if (protocol) request.protocol_name = *protocol;
    if (type) request.protocol_type = *type;
    for (const auto& [m, a] : assigned) request.assignments.push_back({m, as_bytes(a)});
    perform(shard_->sync(request, call()));
  }
  void heartbeat() {
    const std::string name = group(), member = value("member").value_or("");
    const auto instance = value("instance");
    protocol::HeartbeatRequest request;
    request.group_id = name;
    request.member_id = member;
    request.generation_id = static_cast<int32_t>(number("generation", 1));
    if (instance) request.group_instance_id = *instance;
    print_error(shard_->heartbeat(request, now_));
  }
  void leave() {
    const std::string name = group();
    std::vector<std::string> members, instances;
    protocol::LeaveGroupRequest request;
    request.group_id = name;
    for (const std::string& w : words_) {
      if (w.starts_with("group=")) continue;
      members.push_back(w.starts_with("i:") ? "" : real(w));
      instances.push_back(w.starts_with("i:") ? w.substr(2) : "");
    }
    for (size_t i = 0; i < members.size(); ++i) {
      auto& m = request.members.emplace_back();
      m.member_id = members[i];
      if (!instances[i].empty()) m.group_instance_id = instances[i];
    }
    auto left = shard_->leave(request, now_);
    perform(std::move(left.effects));
    if (left.response.error_code) print_error(static_cast<ErrorCode>(left.response.error_code));
    for (const auto& m : left.response.members) print_error(static_cast<ErrorCode>(m.error_code));
  }
  void commit() {
    const std::string name = group(), member = value("member").value_or("");
    const auto instance = value("instance");
    protocol::OffsetCommitRequest request;
    request.group_id = name;
    request.member_id = member;
    if (instance) request.group_instance_id = *instance;
    request.generation_id_or_member_epoch = static_cast<int32_t>(number("generation", -1));
    if (value("retain")) request.retention_time_ms = number("retain", 0) * 1000;
    std::vector<std::array<std::string, 3>> offsets;
    for (const std::string& w : words_) {
      const size_t dash = w.find('-'), equals = w.find('=');
      if (dash == w.npos || equals == w.npos || dash > equals) continue;
      const std::string rest = w.substr(equals + 1);
      const size_t colon = rest.find(':');
      offsets.push_back({w.substr(0, equals), rest.substr(0, colon), colon == rest.npos ? "" : rest.substr(colon + 1)});
    }
    std::vector<std::string> topics;
    for (const auto& o : offsets) topics.push_back(partition_of(o[0]).first);
    for (size_t i = 0; i < offsets.size(); ++i) {
      auto& topic = request.topics.emplace_back();
      topic.name = topics[i];
      auto& p = topic.partitions.emplace_back();
      p.partition_index = partition_of(offsets[i][0]).second;
      p.committed_offset = std::stoll(offsets[i][1]);
      p.committed_metadata = offsets[i][2];
    }
    const GroupClient who{"c", "/1.2.3.4", static_cast<int16_t>(number("version", 9))};
    auto committed = shard_->commit(request, who, now_);
    const ErrorCode stored = perform(std::move(committed.effects));
    if (stored != ErrorCode::kNone) return print_error(storing_error(stored));
    for (const auto& t : committed.response.topics)
      for (const auto& p : t.partitions) out_ << "=> " << t.name << "-" << p.partition_index << " " << error_name(static_cast<ErrorCode>(p.error_code)) << "\n";
  }
  void fetch() {
    const std::string name = group();
    protocol::OffsetFetchRequest::OffsetFetchRequestGroup request;
    request.group_id = name;
    std::vector<std::string> topics;
    for (const std::string& w : words_)
      if (w.find('-') != w.npos) topics.push_back(w);
    std::vector<std::string> names;
    for (const std::string& t : topics) names.push_back(partition_of(t).first);
    if (topics.empty()) request.topics.reset();
    for (size_t i = 0; i < topics.size(); ++i)
      request.topics->push_back({names[i], {}, {partition_of(topics[i]).second}});
    const auto fetched = shard_->fetch(request, has("stable"));
    for (const auto& t : fetched.response.topics) {
      for (const auto& p : t.partitions) {
        out_ << "=> " << t.name << "-" << p.partition_index << " " << p.committed_offset;
        if (!p.metadata.value_or("").empty()) out_ << " '" << *p.metadata << "'";
        if (p.error_code) out_ << " " << error_name(static_cast<ErrorCode>(p.error_code));
        out_ << "\n";
      }
    }
  }
  void forget() {
    const std::string name = group();
    protocol::OffsetDeleteRequest request;
    request.group_id = name;
    std::vector<std::string> topics;
    for (const std::string& w : words_)
      if (w.find('-') != w.npos) topics.push_back(partition_of(w).first);
    size_t i = 0;
    for (const std::string& w : words_)
      if (w.find('-') != w.npos) request.topics.push_back({topics[i++], {{partition_of(w).second}}});
    auto forgotten = shard_->delete_offsets(request);
    perform(std::move(forgotten.effects));
    if (forgotten.response.error_code) return print_error(static_cast<ErrorCode>(forgotten.response.error_code));
    for (const auto& t : forgotten.response.topics)
      for (const auto& p : t.partitions) out_ << "=> " << t.name << "-" << p.partition_index << " " << error_name(static_cast<ErrorCode>(p.error_code)) << "\n";
  }
  void remove() {
    auto removed = shard_->remove_group(words_.at(0));
    perform(std::move(removed.effects));
    print_error(static_cast<ErrorCode>(removed.response.error_code));
  }
  void describe() {
    const auto described = shard_->describe(words_.empty() ? "g" : words_[0], 6);
    const auto& g = described.response;
    out_ << "=> " << g.group_id << " " << g.group_state;
    if (g.error_code) out_ << " " << error_name(static_cast<ErrorCode>(g.error_code));
    if (!g.protocol_type.empty()) out_ << " type=" << g.protocol_type << " protocol=" << g.protocol_data;
    for (const auto& m : g.members) {
      out_ << " " << m.member_id << ":" << as_text(m.member_assignment);
      if (m.group_instance_id) out_ << "(" << *m.group_instance_id << ")";
    }
    out_ << "\n";
  }
  void list() {
    const auto listed = shard_->list(words_);
    for (const auto& g : listed.response) out_ << "=> " << g.group_id << " " << g.group_state << " " << g.protocol_type << "\n";
  }
  void wait() {
    const Instant until = now_.now + std::chrono::seconds(std::stoi(words_.at(0)));
    while (const auto next = shard_->next_deadline()) {
      if (*next > until) break;
      advance(*next);
      perform(shard_->expire(now_));
    }
    advance(until);
  }
  void advance(Instant to) {
    now_.wall_ms += std::max<int64_t>(0, (to - now_.now) / std::chrono::milliseconds(1));
    now_.now = std::max(now_.now, to);
  }
  void fail_next() {
    const std::string& name = words_.at(0);
    failure_ = name == "NOT_ENOUGH_REPLICAS" ? ErrorCode::kNotEnoughReplicas
               : name == "MESSAGE_TOO_LARGE" ? ErrorCode::kMessageTooLarge
                                             : ErrorCode::kKafkaStorageError;
  }
  void transaction() {
    const ProducerId producer(std::stoll(words_.at(0)));
    const size_t equals = words_.at(1).find('=');
    const auto [topic, partition] = partition_of(words_[1].substr(0, equals));
    protocol::OffsetCommitValue value;
    value.offset = std::stoll(words_[1].substr(equals + 1));
    value.commit_timestamp = now_.wall_ms;
    log_.push_back({offset_record(group(), topic, partition, value), producer, std::nullopt});
    replay(log_.back(), Offset(static_cast<int64_t>(log_.size()) - 1));
  }
  void end_transaction() {
    const ProducerId producer(std::stoll(words_.at(0)));
    log_.push_back({{}, producer, words_.at(1) == "commit"});
    shard_->replay_end_transaction(producer, words_[1] == "commit");
  }

  GroupOptions options_;
  std::unique_ptr<GroupShard> shard_;
  std::vector<LogEntry> log_;
  std::optional<ErrorCode> failure_;
  Moment now_{Instant(std::chrono::hours(1)), 0};
  std::map<CallId, std::string> calls_;
  CallId next_call_ = 0;
  std::vector<std::string> ids_;
  std::vector<std::string> words_;
  std::ostringstream out_;
};

}  // namespace moldau::test
