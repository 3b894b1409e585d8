// Answers to JoinGroup and SyncGroup, which outlive the operation that makes them: their texts are copied.
#pragma once
#include "coordinator/classic_group.h"
#include "coordinator/effects.h"

namespace moldau {

inline JoinReply join_error(CallId call, std::string_view member_id, ErrorCode error) {
  JoinReply reply{call, {}, {}};
  reply.response.member_id = reply.arena.keep(std::string(member_id));
  reply.response.protocol_name.reset();
  reply.response.error_code = static_cast<int16_t>(error);
  return reply;
}

// The generation that the group is in, without its members.
inline JoinReply join_answer(CallId call, const ClassicGroup& group, std::string_view member_id) {
  JoinReply reply{call, {}, {}};
  auto& r = reply.response;
  r.member_id = reply.arena.keep(std::string(member_id));
  r.generation_id = group.generation();
  r.protocol_name.reset();
  if (group.protocol_name()) r.protocol_name = reply.arena.keep(*group.protocol_name());
  if (group.protocol_type()) r.protocol_type = reply.arena.keep(*group.protocol_type());
  if (group.leader()) r.leader = reply.arena.keep(*group.leader());
  return reply;
}

inline SyncReply sync_error(CallId call, ErrorCode error) {
  SyncReply reply{call, {}, {}};
  reply.response.error_code = static_cast<int16_t>(error);
  return reply;
}

inline SyncReply sync_answer(CallId call, const ClassicGroup& group, const ClassicMember& member) {
  SyncReply reply{call, {}, {}};
  if (group.protocol_name()) reply.response.protocol_name = reply.arena.keep(*group.protocol_name());
  if (group.protocol_type()) reply.response.protocol_type = reply.arena.keep(*group.protocol_type());
  reply.response.assignment = reply.arena.keep_bytes(member.assignment);
  return reply;
}

}  // namespace moldau
