#include "controller/producer_id_planner.h"

#include <limits>

#include "controller/broker_planner.h"
#include "protocol/metadata/producer_ids_record.h"

namespace moldau {

Result<Plan<protocol::AllocateProducerIdsResponse>> plan_producer_ids(
    const ControllerView& view, const protocol::AllocateProducerIdsRequest& request) {
  TRY(check_broker_epoch(view.image, BrokerId(request.broker_id), BrokerEpoch(request.broker_epoch)));
  const int64_t first = view.image.next_producer_id().value_or(0);
  if (first > std::numeric_limits<int64_t>::max() - kProducerIdBlockSize)
    return fail(
        ErrorCode::kUnknownServerError,
        "Exhausted all producerIds as the next block's end producerId has exceeded the int64 type limit");
  Plan<protocol::AllocateProducerIdsResponse> plan;
  plan.records.add(protocol::ProducerIdsRecord{.broker_id = request.broker_id,
                                               .broker_epoch = request.broker_epoch,
                                               .next_producer_id = first + kProducerIdBlockSize},
                   0);
  plan.response.producer_id_start = first;
  plan.response.producer_id_len = kProducerIdBlockSize;
  return plan;
}

}  // namespace moldau
