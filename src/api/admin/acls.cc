#include "api/admin/acls.h"

#include <algorithm>

#include "protocol/messages/create_acls.h"
#include "protocol/messages/delete_acls.h"
#include "protocol/messages/describe_acls.h"

namespace moldau::api {
namespace {

constexpr auto kDisabled = static_cast<int16_t>(ErrorCode::kSecurityDisabled);
constexpr std::string_view kNoAuthorizer = "No Authorizer is configured.";

template <class Filter>
bool has_unknown(const Filter& f) {
  return f.resource_type_filter == 0 || f.pattern_type_filter == 0 || f.operation == 0 ||
         f.permission_type == 0;
}

}  // namespace

void handle_describe_acls(Services&, Call call) {
  const auto request = call.decode<protocol::DescribeAclsRequest>();
  if (!request) return;
  if (has_unknown(*request)) return call.close("a DescribeAcls request with an unknown element");
  protocol::DescribeAclsResponse response;
  response.error_code = kDisabled;
  response.error_message = kNoAuthorizer;
  call.reply(response);
}

void handle_create_acls(Services&, Call call) {
  const auto request = call.decode<protocol::CreateAclsRequest>();
  if (!request) return;
  if (std::ranges::any_of(request->creations, [](const auto& c) {
        return c.resource_type == 0 || c.resource_pattern_type == 0 || c.operation == 0 ||
               c.permission_type == 0;
      }))
    return call.close("a CreateAcls request with an unknown element");
  protocol::CreateAclsResponse response;
  for (size_t i = 0; i < request->creations.size(); ++i) {
    auto& result = response.results.emplace_back();
    result.error_code = kDisabled;
    result.error_message = kNoAuthorizer;
  }
  call.reply(response);
}

void handle_delete_acls(Services&, Call call) {
  const auto request = call.decode<protocol::DeleteAclsRequest>();
  if (!request) return;
  if (std::ranges::any_of(request->filters, [](const auto& f) { return has_unknown(f); }))
    return call.close("a DeleteAcls request with an unknown element");
  protocol::DeleteAclsResponse response;
  for (size_t i = 0; i < request->filters.size(); ++i) {
    auto& result = response.filter_results.emplace_back();
    result.error_code = kDisabled;
    result.error_message = kNoAuthorizer;
  }
  call.reply(response);
}

}  // namespace moldau::api
