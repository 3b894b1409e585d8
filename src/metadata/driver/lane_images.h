// LaneImages: each lane's own pointer to the newest image, so that a request handler gets it without an
// atomic operation.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "io/lane.h"
#include "ports/images.h"

namespace moldau {

class LaneImages final : public ports::ImagesPort {
 public:
  explicit LaneImages(std::span<io::Lane* const> lanes);

  const ClusterImage& current(const io::Lane& lane) const override { return *shared(lane); }
  // To keep it beyond the task.
  const std::shared_ptr<const ClusterImage>& shared(const io::Lane& lane) const {
    return slots_[static_cast<size_t>(lane.index())].image;
  }

  // On lane 0: hands the image to all lanes; `done` runs on lane 0 when each has it.
  void publish(std::shared_ptr<const ClusterImage> image, io::Task done);

 private:
  struct alignas(64) Slot {  // touched by its lane only
    std::shared_ptr<const ClusterImage> image = std::make_shared<ClusterImage>();
  };

  std::vector<io::Lane*> lanes_;
  std::vector<Slot> slots_;
};

}  // namespace moldau
