#include "api/data/init_producer_id.h"

#include <gtest/gtest.h>

#include "api/test_bench.h"
#include "protocol/messages/init_producer_id.h"

namespace moldau::api::testing {
namespace {

using protocol::InitProducerIdRequest;

InitProducerIdRequest idempotent() {
  InitProducerIdRequest request;
  request.transactional_id.reset();
  request.transaction_timeout_ms = 60000;
  return request;
}

TEST(InitProducerIdTest, AnIdempotentProducerGetsANewId) {
  TestBench bench;
  for (int16_t version = 0; version <= 5; ++version) {
    const auto response = bench.ask(idempotent(), version);
    EXPECT_EQ(response.error_code, 0);
    EXPECT_EQ(response.producer_id, 4711);
    EXPECT_EQ(response.producer_epoch, 0);
  }
}

TEST(InitProducerIdTest, AlsoIfItNamesTheOneThatItHas) {
  TestBench bench;
  InitProducerIdRequest request = idempotent();
  request.producer_id = 5;
  request.producer_epoch = 32767;
  EXPECT_EQ(bench.ask(request, 4).producer_id, 4711);
}

TEST(InitProducerIdTest, IdAndEpochComeTogether) {
  TestBench bench;
  for (const auto& [id, epoch] : {std::pair{5, -1}, {-1, 3}}) {
    InitProducerIdRequest request = idempotent();
    request.producer_id = id;
    request.producer_epoch = static_cast<int16_t>(epoch);
    const auto response = bench.ask(request, 3);
    EXPECT_EQ(response.error_code, 42);
    EXPECT_EQ(response.producer_id, -1);
    EXPECT_EQ(response.producer_epoch, -1);
  }
}

TEST(InitProducerIdTest, ATransactionalIdNeedsACoordinator) {
  TestBench bench;
  InitProducerIdRequest request = idempotent();
  request.transactional_id = "x";
  EXPECT_EQ(bench.ask(request, 5).error_code, 15);
  request.transactional_id = "";
  EXPECT_EQ(bench.ask(request, 5).error_code, 42);
}

TEST(InitProducerIdTest, NoIdNoProducer) {
  TestBench bench;
  bench.producer_ids.result = fail(ErrorCode::kCoordinatorLoadInProgress);
  const auto response = bench.ask(idempotent(), 5);
  EXPECT_EQ(response.error_code, 14);
  EXPECT_EQ(response.producer_id, -1);
  EXPECT_EQ(response.producer_epoch, -1);
}

TEST(InitProducerIdTest, Version6IsServedOnlyWhereUnstableVersionsAre) {
  TestBench bench;
  EXPECT_EQ(bench.outcome(bench.send(idempotent(), 6)).kind, Outcome::Kind::kClosed);
  bench.services.unstable_api_versions = true;
  EXPECT_EQ(bench.ask(idempotent(), 6).producer_id, 4711);
}

}  // namespace
}  // namespace moldau::api::testing
