// ProducerIdsPort: ids for producers that want to be idempotent or transactional. Each is handed out once in
// the life of the cluster.
#pragma once
#include <functional>

#include "base/ids.h"
#include "base/result.h"
#include "io/lane.h"

namespace moldau::ports {

using ProducerIdDone = std::move_only_function<void(Result<ProducerId>)>;

class ProducerIdsPort {
 public:
  virtual ~ProducerIdsPort() = default;
  // From any lane; `done` runs on `from`, once. COORDINATOR_LOAD_IN_PROGRESS: none is to be had at the
  // moment, the client asks again.
  virtual void next(io::Lane& from, ProducerIdDone done) = 0;
};

}  // namespace moldau::ports
