#include "raft/election_state.h"

#include <charconv>

#include "protocol/data/quorum_state_data.h"
#include "protocol/json.h"
#include "protocol/json_value.h"

namespace moldau {
namespace {

using protocol::JsonValue;

std::unexpected<Error> damaged(std::string why) {
  return fail(ErrorCode::kKafkaStorageError, "quorum-state is damaged: " + std::move(why));
}

Result<int32_t> number(const JsonValue& object, std::string_view name) {
  const JsonValue* value = object.find(name);
  if (!value || value->kind != JsonValue::Kind::kNumber) return damaged("it has no " + std::string(name));
  int32_t n = 0;
  const std::string& text = value->text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size())
    return damaged(std::string(name) + " is " + text);
  return n;
}

Result<std::vector<BrokerId>> voters_of(const JsonValue& object) {
  std::vector<BrokerId> voters;
  const JsonValue* list = object.find("currentVoters");
  if (!list || list->kind != JsonValue::Kind::kArray) return voters;
  for (const JsonValue& voter : list->elements) {
    TRY_ASSIGN(const int32_t id, number(voter, "voterId"));
    voters.push_back(BrokerId(id));
  }
  return voters;
}

}  // namespace

Result<ElectionState> parse_election_state(std::string_view text) {
  const auto object = protocol::parse_json(text);
  if (!object || object->kind != JsonValue::Kind::kObject) return damaged("it isn't a JSON object");
  TRY_ASSIGN(const int32_t version, number(*object, "data_version"));
  if (version < 0 || version > 1)
    return fail(ErrorCode::kUnsupportedVersion,
                "quorum-state has version " + std::to_string(version) + ", this release knows 0 and 1");
  ElectionState state;
  state.version = static_cast<int16_t>(version);
  TRY_ASSIGN(const int32_t leader, number(*object, "leaderId"));
  TRY_ASSIGN(const int32_t epoch, number(*object, "leaderEpoch"));
  TRY_ASSIGN(const int32_t voted, number(*object, "votedId"));
  state.leader = BrokerId(leader);
  state.epoch = LeaderEpoch(epoch);
  state.voted_for = BrokerId(voted);
  if (version == 0) {
    TRY_ASSIGN(state.voters, voters_of(*object));
  } else if (const JsonValue* directory = object->find("votedDirectoryId")) {
    const auto id = Uuid::parse(directory->text);
    if (!id) return damaged("votedDirectoryId is " + directory->text);
    state.voted_directory = *id;
  }
  return state;
}

std::string format_election_state(const ElectionState& state) {
  protocol::QuorumStateData data;
  data.leader_id = state.leader.value;
  data.leader_epoch = state.epoch.value;
  data.voted_id = state.voted_for.value;
  data.voted_directory_id = state.voted_directory;
  data.current_voters.emplace();
  for (BrokerId voter : state.voters) data.current_voters->push_back({.voter_id = voter.value});
  std::string text = protocol::to_json(data, state.version);
  text.insert(text.size() - 1, ",\"data_version\":" + std::to_string(state.version));
  return text;
}

}  // namespace moldau
