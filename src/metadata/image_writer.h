// Writes an image as records, as its snapshot has them: features first, then brokers, controllers, topics
// each with its partitions, configurations, producer ids. Kafka's order: metadata.version decides how the
// rest is read.
#pragma once
#include <functional>

#include "metadata/cluster_image.h"
#include "metadata/record_buffer.h"

namespace moldau {

inline constexpr size_t kSnapshotBatchRecords = 1024;

// Calls `take` whenever kSnapshotBatchRecords are together, and for the rest; the buffer is emptied
// afterwards.
void write_image(const ClusterImage& image, const std::function<void(const RecordBuffer&)>& take);

}  // namespace moldau
