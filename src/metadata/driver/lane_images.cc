#include "metadata/driver/lane_images.h"

namespace moldau {

LaneImages::LaneImages(std::span<io::Lane* const> lanes)
    : lanes_(lanes.begin(), lanes.end()), slots_(lanes.size()) {}

void LaneImages::publish(std::shared_ptr<const ClusterImage> image, io::Task done) {
  struct Round {
    size_t missing;
    io::Task done;
  };
  auto round = std::make_shared<Round>(lanes_.size() - 1, std::move(done));
  slots_[0].image = image;
  if (round->missing == 0) return round->done();
  for (size_t i = 1; i < lanes_.size(); ++i) {
    lanes_[i]->post([this, i, image, round] {
      slots_[i].image = image;
      lanes_[0]->post([round] {  // only lane 0 counts
        if (--round->missing == 0) round->done();
      });
    });
  }
}

}  // namespace moldau
