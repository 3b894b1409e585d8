#include "api/data/producer_id_blocks.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace moldau::api {

void ProducerIdBlocks::next(io::Lane& from, ports::ProducerIdDone done) {
  home_.run([this, &from, done = std::move(done)]() mutable {
    waiters_.push_back({&from, std::move(done)});
    serve();
  });
}

std::optional<ProducerId> ProducerIdBlocks::claim() {
  if (current_.used == current_.size) {
    if (!ahead_) return std::nullopt;
    current_ = *std::exchange(ahead_, std::nullopt);
  }
  return ProducerId(current_.first + current_.used++);
}

void ProducerIdBlocks::serve() {
  while (!waiters_.empty()) {
    const std::optional<ProducerId> id = claim();
    if (!id) break;
    Waiter waiter = std::move(waiters_.front());
    waiters_.pop_front();
    waiter.lane->run([done = std::move(waiter.done), id = *id]() mutable { done(id); });
  }
  if (current_.runs_low()) request_block();
  if (!waiters_.empty() && !requesting_) refuse_waiters();
}

void ProducerIdBlocks::request_block() {
  if (requesting_ || ahead_) return;
  if (not_before_ && home_.clock().now() < *not_before_) return;
  requesting_ = true;
  ports::Kept<protocol::AllocateProducerIdsRequest> request;
  request.message.broker_id = broker_.value;
  const BrokerRegistration* registered = images_.current(home_).broker(broker_);
  request.message.broker_epoch = registered ? registered->epoch.value : -1;
  controller_.allocate_producer_ids({.lane = &home_}, std::move(request),
                                    [this](auto answer) { take_answer(std::move(answer)); });
}

Status ProducerIdBlocks::check(
    const Result<ports::Kept<protocol::AllocateProducerIdsResponse>>& answer) const {
  if (!answer) return std::unexpected(answer.error());
  const protocol::AllocateProducerIdsResponse& block = answer->message;
  if (block.error_code != 0)
    return fail(static_cast<ErrorCode>(block.error_code), "the controller refused the request");
  if (block.producer_id_len <= 0 || block.producer_id_start < current_.end() ||
      block.producer_id_start > std::numeric_limits<int64_t>::max() - block.producer_id_len) {
    return fail(ErrorCode::kUnknownServerError,
                fmt::format("the block of {} ids from {} is empty, or doesn't come after {}",
                            block.producer_id_len, block.producer_id_start, current_.end() - 1));
  }
  return {};
}

void ProducerIdBlocks::take_answer(Result<ports::Kept<protocol::AllocateProducerIdsResponse>> answer) {
  requesting_ = false;
  if (const Status usable = check(answer); !usable) {
    not_before_ = home_.clock().now() + kBackoff;
    runtime_.logger().warn("api", fmt::format("no producer ids from the controller: {}: {}",
                                              error_name(usable.error().code), usable.error().message));
    return refuse_waiters();
  }
  not_before_.reset();
  ahead_ = Block{answer->message.producer_id_start, answer->message.producer_id_len};
  serve();
}

void ProducerIdBlocks::refuse_waiters() {
  for (Waiter& waiter : std::exchange(waiters_, {})) {
    waiter.lane->run([done = std::move(waiter.done)]() mutable {
      done(fail(ErrorCode::kCoordinatorLoadInProgress, "no block of producer ids is there yet"));
    });
  }
}

}  // namespace moldau::api
