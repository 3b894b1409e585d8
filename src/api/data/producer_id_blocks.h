// ProducerIdBlocks: this broker's stock of producer ids. The controller hands out blocks of 1000; the next
// one is asked for when nine tenths of the current one are used up, so that hardly any producer has to wait.
// Owner: lane 0; next() may be called on any.
//
// Invariants
//   B1  at most one request to the controller is under way; after a failed one none for kBackoff
//   B2  an id is handed out once; blocks ascend
//   B3  who comes while there is no id waits for the request under way, and is refused if that fails
//
// Kafka refuses the first producers after a start at once and lets them come again; here they wait.
#pragma once
#include <deque>
#include <optional>

#include "io/runtime.h"
#include "ports/controller.h"
#include "ports/images.h"
#include "ports/producer_ids.h"

namespace moldau::api {

class ProducerIdBlocks final : public ports::ProducerIdsPort {
 public:
  static constexpr Duration kBackoff = std::chrono::milliseconds(50);

  // Outlives the tasks of all lanes.
  ProducerIdBlocks(io::Runtime& runtime, ports::ControllerPort& controller, ports::ImagesPort& images,
                   BrokerId broker)
      : runtime_(runtime),
        home_(*runtime.lanes().front()),
        controller_(controller),
        images_(images),
        broker_(broker) {}

  void next(io::Lane& from, ports::ProducerIdDone done) override;

 private:
  struct Block {
    int64_t first = 0;
    int64_t size = 0;
    int64_t used = 0;
    int64_t end() const { return first + size; }
    bool runs_low() const { return used >= size * 9 / 10; }
  };
  struct Waiter {
    io::Lane* lane;
    ports::ProducerIdDone done;
  };

  std::optional<ProducerId> claim();
  void serve();
  void request_block();
  void take_answer(Result<ports::Kept<protocol::AllocateProducerIdsResponse>> answer);
  Status check(const Result<ports::Kept<protocol::AllocateProducerIdsResponse>>& answer) const;
  void refuse_waiters();

  io::Runtime& runtime_;
  io::Lane& home_;
  ports::ControllerPort& controller_;
  ports::ImagesPort& images_;
  BrokerId broker_;
  Block current_;
  std::optional<Block> ahead_;
  std::deque<Waiter> waiters_;
  bool requesting_ = false;
  std::optional<Instant> not_before_;
};

}  // namespace moldau::api
