// Random members on one shard whose log sometimes refuses: every call is answered once, and a replay of the log has what the
// shard has.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "coordinator/group_shard.h"

namespace moldau {
namespace {

struct Chance {
  explicit Chance(uint64_t seed) : engine(seed) {}
  size_t below(size_t n) { return engine() % n; }
  bool percent(size_t p) { return below(100) < p; }
  std::mt19937_64 engine;
};

class World {
 public:
  explicit World(uint64_t seed) : chance_(seed) {
    options_.initial_rebalance_delay_ms = static_cast<int32_t>(chance_.below(3)) * 1000;
    options_.max_size = chance_.percent(30) ? 2 : 100;
    options_.offsets_retention_ms = 60'000;
    options_.offsets_check_interval = std::chrono::seconds(20);
    shard_ = std::make_unique<GroupShard>(options_);
    perform(shard_->loaded(now_));
  }

  void step() {
    now_.now += std::chrono::milliseconds(chance_.below(900));
    now_.wall_ms += 500;
    while (shard_->next_deadline() && *shard_->next_deadline() <= now_.now) perform(shard_->expire(now_));
    switch (chance_.below(12)) {
      case 0:
      case 1:
      case 2: return join();
      case 3:
      case 4:
      case 5: return sync();
      case 6:
      case 7:
        return void(shard_->heartbeat(
            {.group_id = "g", .generation_id = generation(), .member_id = someone()}, now_));
      case 8: return commit();
      case 9: return leave();
      case 10:
        if (chance_.percent(10)) perform(shard_->remove_group("g").effects);
        if (chance_.percent(10)) perform(shard_->forget_topics({"u"}));
        return;
      default:
        if (chance_.percent(5)) restart();
    }
  }
  void end() {
    for (int i = 0; i < 2000; ++i) {
      now_.now += std::chrono::seconds(1);
      now_.wall_ms += 1000;
      while (shard_->next_deadline() && *shard_->next_deadline() <= now_.now) perform(shard_->expire(now_));
    }
    EXPECT_TRUE(open_.empty()) << open_.size() << " calls weren't answered";
  }
  void check_replay() const {
    const GroupShard again = replayed();
    EXPECT_EQ(again.offsets().groups(), shard_->offsets().groups());
    for (const auto& [id, group] : shard_->groups()) {
      ASSERT_TRUE(again.groups().contains(id)) << id;
      if (!group.is(GroupState::kStable)) continue;
      const ClassicGroup& other = again.groups().find(id)->second;
      EXPECT_EQ(other.generation(), group.generation());
      EXPECT_EQ(other.leader(), group.leader());
      EXPECT_EQ(other.protocol_name(), group.protocol_name());
      ASSERT_EQ(other.size(), group.size());
      for (const auto& [member, m] : group.members())
        EXPECT_EQ(other.members().find(member)->second.assignment, m.assignment);
    }
    for (const auto& [id, group] : again.groups()) EXPECT_TRUE(shard_->groups().contains(id)) << id;
  }
  int stable_times() const { return stable_times_; }

 private:
  GroupShard replayed() const {
    GroupShard shard(options_);
    for (size_t i = 0; i < log_.size(); ++i) {
      const auto& r = log_[i];
      const auto bytes = r.value ? std::optional(as_bytes(*r.value)) : std::nullopt;
      EXPECT_TRUE(shard.replay(as_bytes(r.key), bytes, Offset(static_cast<int64_t>(i))));
    }
    return shard;
  }
  void restart() {
    shard_ = std::make_unique<GroupShard>(replayed());
    open_.clear();  // their owner answers them
    perform(shard_->loaded(now_));
  }
  void perform(Effects effects) {
    for (;;) {
      ErrorCode stored = ErrorCode::kNone;
      if (!effects.records.empty() && chance_.percent(5)) stored = ErrorCode::kKafkaStorageError;
      for (const GroupRecord& r : effects.records) {
        if (stored != ErrorCode::kNone) break;
        log_.push_back(r);
        const auto bytes = r.value ? std::optional(as_bytes(*r.value)) : std::nullopt;
        if (effects.replay) {
          ASSERT_TRUE(shard_->replay(as_bytes(r.key), bytes, Offset(static_cast<int64_t>(log_.size()) - 1)));
        }
      }
      if (stored != ErrorCode::kNone && effects.storing && std::holds_alternative<NewGroup>(*effects.storing))
        effects.joins.clear();
      for (const JoinReply& j : effects.joins) {
        EXPECT_EQ(open_.erase(j.call), 1u) << "a call is answered twice";
        if (!j.response.member_id.empty()) ids_.insert(std::string(j.response.member_id));
      }
      for (const SyncReply& s : effects.syncs) {
        EXPECT_EQ(open_.erase(s.call), 1u) << "a call is answered twice";
        stable_times_ += s.response.error_code == 0;
      }
      if (!effects.storing) break;
      effects = shard_->stored(*std::exchange(effects.storing, std::nullopt), stored, now_);
    }
    check_counts();
  }
  void check_counts() const {
    for (const auto& [id, group] : shard_->groups()) {
      size_t awaiting = 0;
      for (const auto& [member, m] : group.members()) {
        awaiting += m.awaiting_join.has_value();
        if (m.instance_id) {
          ASSERT_TRUE(group.static_member(*m.instance_id));
          EXPECT_EQ(*group.static_member(*m.instance_id), member);
        }
      }
      EXPECT_EQ(awaiting, group.awaiting_joins());
      EXPECT_EQ(group.leader().has_value(), group.size() > 0);
      if (group.leader()) EXPECT_TRUE(group.members().contains(*group.leader()));
    }
  }
  const ClassicGroup* group() const {
    const auto at = shard_->groups().find("g");
    return at == shard_->groups().end() ? nullptr : &at->second;
  }
  int32_t generation() const { return group() ? group()->generation() : 0; }
  std::string_view someone() {
    static constexpr std::string_view kNobody = "nobody";
    if (ids_.empty() || chance_.percent(5)) return kNobody;
    if (group() && group()->size() > 0 && chance_.percent(80))
      return std::next(group()->members().begin(), static_cast<long>(chance_.below(group()->size())))->first;
    return *std::next(ids_.begin(), static_cast<long>(chance_.below(ids_.size())));
  }
  void join() {
    const std::string member(chance_.percent(60) ? someone() : "");
    const std::string instance = "i" + std::to_string(chance_.below(3));
    protocol::JoinGroupRequest request;
    request.group_id = "g";
    request.member_id = member == "nobody" ? "" : member;
    if (chance_.percent(20)) request.group_instance_id = instance;
    request.session_timeout_ms = 6000 + static_cast<int32_t>(chance_.below(3)) * 1000;
    request.rebalance_timeout_ms = 4000;
    request.protocol_type = "consumer";
    request.protocols.push_back({"range", as_bytes(chance_.percent(80) ? "a" : "b")});
    if (chance_.percent(30)) request.protocols.insert(request.protocols.begin(), {"sticky", as_bytes("c")});
    open_.insert(++next_call_);
    perform(shard_->join(request, {"c", "/h", static_cast<int16_t>(chance_.below(10))}, next_call_,
                         {chance_.engine(), chance_.engine()}, now_));
  }
  void sync() {
    const std::string member(someone());
    protocol::SyncGroupRequest request;
    request.group_id = "g";
    request.member_id = member;
    request.generation_id = generation();
    std::vector<std::string> everyone;
    if (group())
      for (const auto& [id, m] : group()->members()) everyone.push_back(id);
    for (const std::string& id : everyone) request.assignments.push_back({id, as_bytes(id)});
    open_.insert(++next_call_);
    perform(shard_->sync(request, next_call_));
  }
  void commit() {
    const std::string member(someone());
    protocol::OffsetCommitRequest request;
    request.group_id = chance_.percent(80) ? "g" : "simple";
    const bool simple = request.group_id == "simple";
    if (!simple) request.member_id = member;
    request.generation_id_or_member_epoch = simple ? -1 : generation();
    auto& topic = request.topics.emplace_back();
    topic.name = chance_.percent(50) ? "t" : "u";
    topic.partitions.push_back({.partition_index = static_cast<int32_t>(chance_.below(3)),
                                .committed_offset = static_cast<int64_t>(chance_.below(1000))});
    perform(shard_->commit(request, {"c", "/h", 8}, now_).effects);
  }
  void leave() {
    const std::string member(someone());
    protocol::LeaveGroupRequest request;
    request.group_id = "g";
    request.members.push_back({.member_id = member});
    perform(shard_->leave(request, now_).effects);
  }

  Chance chance_;
  GroupOptions options_;
  std::unique_ptr<GroupShard> shard_;
  std::vector<GroupRecord> log_;
  Moment now_{Instant(std::chrono::hours(1)), 1'000'000};
  std::set<CallId> open_;
  CallId next_call_ = 0;
  std::set<std::string, std::less<>> ids_;
  int stable_times_ = 0;
};

TEST(GroupShardProperty, EveryCallIsAnsweredOnceAndReplayHasWhatTheShardHas) {
  int stable_times = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    World world(seed);
    for (int i = 0; i < 400; ++i) {
      world.step();
      if (i % 20 == 0) world.check_replay();
      if (testing::Test::HasFailure()) return;
    }
    world.end();
    world.check_replay();
    stable_times += world.stable_times();
  }
  EXPECT_GT(stable_times, 1000) << "the members hardly ever get an assignment: the test tests nothing";
}

}  // namespace
}  // namespace moldau
