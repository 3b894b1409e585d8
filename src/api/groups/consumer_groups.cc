#include "api/groups/consumer_groups.h"

#include "api/services.h"
#include "protocol/messages/consumer_group_describe.h"
#include "protocol/messages/consumer_group_heartbeat.h"

namespace moldau::api {
namespace {

constexpr auto kRefusal = static_cast<int16_t>(ErrorCode::kUnsupportedVersion);

}  // namespace

void handle_consumer_group_heartbeat(Services&, Call call) {
  if (!call.decode<protocol::ConsumerGroupHeartbeatRequest>()) return;
  protocol::ConsumerGroupHeartbeatResponse response;
  response.error_code = kRefusal;
  call.reply(response);
}

void handle_consumer_group_describe(Services&, Call call) {
  const auto request = call.decode<protocol::ConsumerGroupDescribeRequest>();
  if (!request) return;
  protocol::ConsumerGroupDescribeResponse response;
  for (const std::string_view group : request->group_ids) {
    auto& answered = response.groups.emplace_back();
    answered.group_id = group;
    answered.error_code = kRefusal;
  }
  call.reply(response);
}

}  // namespace moldau::api
