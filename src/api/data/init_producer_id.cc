#include "api/data/init_producer_id.h"

#include "api/services.h"
#include "protocol/messages/init_producer_id.h"

namespace moldau::api {
namespace {

using protocol::InitProducerIdRequest;
using protocol::InitProducerIdResponse;

// Id and epoch are given both or not at all.
ErrorCode check(const InitProducerIdRequest& request) {
  if ((request.producer_id == -1) != (request.producer_epoch == -1)) return ErrorCode::kInvalidRequest;
  if (!request.transactional_id) return ErrorCode::kNone;
  return request.transactional_id->empty() ? ErrorCode::kInvalidRequest : ErrorCode::kCoordinatorNotAvailable;
}

void answer(Call& call, const Result<ProducerId>& id) {
  InitProducerIdResponse response;
  if (id) {
    response.producer_id = id->value;
    response.producer_epoch = 0;
  } else {
    response.error_code = static_cast<int16_t>(id.error().code);
    response.producer_id = response.producer_epoch = -1;
  }
  call.reply(response);
}

}  // namespace

void handle_init_producer_id(Services& services, Call call) {
  const auto request = call.decode<InitProducerIdRequest>();
  if (!request) return;
  if (const ErrorCode error = check(*request); error != ErrorCode::kNone) return answer(call, fail(error));
  call.take_frame();
  io::Lane& lane = call.lane();
  services.broker->producer_ids.next(
      lane, [call = std::move(call)](Result<ProducerId> id) mutable { answer(call, id); });
}

}  // namespace moldau::api
