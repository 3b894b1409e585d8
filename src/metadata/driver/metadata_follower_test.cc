#include "metadata/driver/metadata_follower.h"

#include <gtest/gtest.h>

#include "metadata/bootstrap_records.h"
#include "protocol/metadata/begin_transaction_record.h"
#include "protocol/metadata/end_transaction_record.h"
#include "protocol/metadata/feature_level_record.h"
#include "protocol/metadata/topic_record.h"
#include "sim/sim_world.h"

namespace moldau {
namespace {

using namespace std::chrono_literals;

// Holds each change until the test lets it go.
class Holding : public ImageSubscriber {
 public:
  Holding(std::string name, std::vector<std::string>& order) : name_(std::move(name)), order_(order) {}
  std::string_view name() const override { return name_; }
  void apply(ImageChange change, io::Task done) override {
    order_.push_back(name_);
    changes.push_back(change);
    if (holds)
      held = std::move(done);
    else
      done();
  }
  bool holds = false;
  io::Task held;
  std::vector<ImageChange> changes;

 private:
  std::string name_;
  std::vector<std::string>& order_;
};

class MetadataFollowerTest : public testing::Test {
 protected:
  MetadataFollowerTest() {
    node_ = &world_.add_node("n", {}, {.lanes = 3});
    on_lane([&] {
      follower_ = std::make_unique<MetadataFollower>(node_->runtime());
      follower_->add_subscriber(first_);
      follower_->add_subscriber(second_);
    });
    commit([](RecordBuffer& r) { r.add_framed(default_bootstrap_records()[0]); });
  }
  ~MetadataFollowerTest() override {
    on_lane([&] { follower_.reset(); });
  }

  void on_lane(io::Task task) {
    bool done = false;
    node_->post([&] { task(), done = true; });
    ASSERT_TRUE(world_.run_until([&] { return done; }, 10s));
  }
  // One committed batch; then nothing is at hand any more.
  void commit(const std::function<void(RecordBuffer&)>& fill) {
    RecordBuffer records;
    fill(records);
    on_lane([&] {
      std::vector<Bytes> views;
      for (size_t i = 0; i < records.size(); ++i) views.push_back(records[i]);
      CommittedBatch batch{
          Offset(next_), Offset(next_ + static_cast<int64_t>(views.size()) - 1), LeaderEpoch(1), 5, 100,
          views};
      next_ = batch.last_offset.value + 1;
      ASSERT_TRUE(follower_->on_commit(batch));
      last_ = follower_->on_commits_delivered();
    });
    world_.run_for(10ms);
  }
  void create(const std::string& name) {
    commit([&](RecordBuffer& r) {
      r.add(protocol::TopicRecord{.name = name, .topic_id = Uuid{1, static_cast<uint64_t>(next_ + 1000)}}, 0);
    });
  }
  bool visible(const std::string& topic, int lane) {
    return follower_->images().current(*node_->runtime().lanes()[static_cast<size_t>(lane)]).topic(topic) !=
           nullptr;
  }

  sim::SimWorld world_{{.seed = 1}};
  sim::SimNode* node_;
  std::vector<std::string> order_;
  Holding first_{"first", order_}, second_{"second", order_};
  std::unique_ptr<MetadataFollower> follower_;
  int64_t next_ = 0;
  Status last_;
};

TEST_F(MetadataFollowerTest, subscribers_come_in_order_and_before_the_lanes) {
  first_.holds = true;
  create("t");
  EXPECT_EQ(order_, (std::vector<std::string>{"first", "second", "first"}));
  for (int lane = 0; lane < 3; ++lane) EXPECT_FALSE(visible("t", lane));
  EXPECT_EQ(follower_->published_end(), Offset(1));
  bool shown = false;
  on_lane([&] { follower_->when_published(Offset(2), [&] { shown = true; }); });
  EXPECT_FALSE(shown);
  on_lane([&] { first_.held(); });
  world_.run_for(10ms);
  for (int lane = 0; lane < 3; ++lane) EXPECT_TRUE(visible("t", lane));
  EXPECT_TRUE(shown);
  EXPECT_EQ(order_.back(), "second");
}

TEST_F(MetadataFollowerTest, what_is_committed_meanwhile_goes_into_one_delta) {
  first_.holds = true;
  create("a");
  create("b");
  create("c");
  EXPECT_EQ(first_.changes.size(), 2u);
  first_.holds = false;
  on_lane([&] { first_.held(); });
  world_.run_for(10ms);
  ASSERT_EQ(first_.changes.size(), 3u);
  EXPECT_EQ(first_.changes[2].delta->topics.size(), 2u);
  EXPECT_EQ(first_.changes[2].delta->before, first_.changes[1].image);
  EXPECT_TRUE(visible("c", 2));
}

TEST_F(MetadataFollowerTest, a_transaction_is_shown_as_a_whole) {
  commit([](RecordBuffer& r) { r.add(protocol::BeginTransactionRecord{}, 0); });
  create("t");
  EXPECT_FALSE(visible("t", 1));
  commit([](RecordBuffer& r) { r.add(protocol::EndTransactionRecord{}, 0); });
  EXPECT_TRUE(visible("t", 1));
}

TEST_F(MetadataFollowerTest, feature_levels_that_this_release_lacks_are_a_fault_and_are_not_shown) {
  commit([](RecordBuffer& r) {
    r.add(protocol::FeatureLevelRecord{.name = "share.version", .feature_level = 2}, 0);
  });
  ASSERT_FALSE(last_);
  EXPECT_NE(last_.error().message.find("share.version at level 2"), std::string::npos);
  EXPECT_EQ(first_.changes.size(), 1u);
}

}  // namespace
}  // namespace moldau
