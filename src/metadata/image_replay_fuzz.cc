// Arbitrary bytes as records of the metadata log. Whatever they are: replay refuses or applies them; what it has applied at
// this release's level survives a snapshot; a delta never names less than a comparison finds.
#include "base/assert.h"
#include "base/reader.h"
#include "metadata/image_replay.h"
#include "metadata/image_writer.h"

namespace {

using namespace moldau;

void check_snapshot(const ImageChange& change) {
  if (change.image->feature_level(kMetadataVersionFeature) != kLatestMetadataVersion) return;
  ImageReplay copy;
  copy.begin_snapshot();
  write_image(*change.image, [&](const RecordBuffer& records) {
    for (size_t i = 0; i < records.size(); ++i) ASSERT(copy.replay(records[i], {Offset(0), LeaderEpoch(0)}));
  });
  copy.end_snapshot({change.image->offset(), LeaderEpoch(0)});
  ASSERT(copy.image().same_content(*change.image));
}

void check_delta(const ImageChange& change) {
  const ClusterDelta found = ClusterDelta::between(change.delta->before, *change.image);
  for (const auto& [id, topic] : found.topics) ASSERT(change.delta->topics.contains(id));
  for (BrokerId id : found.brokers) ASSERT(change.delta->brokers.contains(id));
  for (const ConfigResource& r : found.configs) ASSERT(change.delta->configs.contains(r));
}

}  // namespace

// Records as uint16 length and bytes, one after another.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Reader in({data, size});
  ImageReplay replay;
  for (int64_t offset = 0; in.remaining() > 2; ++offset) {
    const Bytes record = in.bytes(std::min<size_t>(in.u16(), in.remaining()));
    if (!replay.replay(record, {Offset(offset), LeaderEpoch(0)})) return 0;  // not to be used any more
    if (replay.in_transaction()) continue;
    const ImageChange change = replay.take();
    check_snapshot(change);
    check_delta(change);
  }
  return 0;
}
