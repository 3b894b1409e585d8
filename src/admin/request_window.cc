#include "admin/request_window.h"

#include <utility>

namespace moldau::admin {

void RequestWindow::update(std::span<const LaneSample> lanes, Instant now) {
  now_.clear();
  for (const LaneSample& lane : lanes)
    for (const auto& [key, api] : lane.apis) now_[key].merge(api);
  if (!std::exchange(any_, true)) {
    newer_at_ = now;
    newer_.clear();
    older_.clear();
    return;  // everything so far is recent
  }
  if (now - newer_at_ < kStep) return;
  older_ = std::move(newer_);
  newer_ = now_;
  newer_at_ = now;
}

metrics::Histogram RequestWindow::recent(int16_t api_key) const {
  const auto now = now_.find(api_key);
  if (now == now_.end()) return {};
  const auto before = older_.find(api_key);
  return before == older_.end() ? now->second.total_time
                                : now->second.total_time.since(before->second.total_time);
}

}  // namespace moldau::admin
