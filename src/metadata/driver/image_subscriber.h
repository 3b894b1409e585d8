// ImageSubscriber: who has to act when the cluster changes: creates logs, starts leaders and followers, loads
// coordinators.
#pragma once
#include <string_view>

#include "io/lane.h"
#include "metadata/image_replay.h"

namespace moldau {

class ImageSubscriber {
 public:
  virtual ~ImageSubscriber() = default;
  virtual std::string_view name() const = 0;
  // On lane 0. Calls `done` on lane 0, once, when the change has its effect: the next subscriber waits for
  // it, and request handlers see the image only after all of them. The next apply() comes after `done`.
  virtual void apply(ImageChange change, io::Task done) = 0;
};

}  // namespace moldau
