#include "api/admin/describe_scram.h"

#include <map>

#include "base/arena.h"
#include "protocol/messages/describe_user_scram_credentials.h"

namespace moldau::api {

void handle_describe_user_scram_credentials(Services&, Call call) {
  const auto request = call.decode<protocol::DescribeUserScramCredentialsRequest>();
  if (!request) return;
  protocol::DescribeUserScramCredentialsResponse response;
  Arena messages;
  std::map<std::string_view, int> times;
  if (request->users)
    for (const auto& user : *request->users) ++times[user.name];
  for (const auto& [user, count] : times) {
    auto& result = response.results.emplace_back();
    const bool once = count == 1;
    result.user = user;
    result.error_code =
        static_cast<int16_t>(once ? ErrorCode::kResourceNotFound : ErrorCode::kDuplicateResource);
    result.error_message = messages.keep(
        (once ? "There are no SCRAM credentials of user " : "A request describes a user once, not ") +
        std::string(user));
  }
  call.reply(response);
}

}  // namespace moldau::api
