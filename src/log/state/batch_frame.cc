#include "log/state/batch_frame.h"

namespace moldau {
namespace {

constexpr size_t kOverhead0 = 14;  // crc, magic, attributes, two lengths
constexpr size_t kOverhead1 = 22;  // and a timestamp

}  // namespace

std::optional<BatchFrame> parse_batch_frame(Bytes bytes) {
  if (bytes.size() <= kMagicOffset) return std::nullopt;
  const BatchHeader header(bytes.data());
  BatchFrame frame;
  frame.magic = header.magic();
  frame.base_offset = frame.last_offset = header.base_offset();
  if (frame.base_offset.value < 0) return std::nullopt;
  const int64_t length = header.batch_length();
  frame.size = length + static_cast<int64_t>(kBatchOverhead);
  if (frame.magic == kMagic2) {
    if (bytes.size() < kBatchHeaderSize || frame.size < static_cast<int64_t>(kBatchHeaderSize))
      return std::nullopt;
    if (header.last_offset_delta() < 0 ||
        frame.base_offset.value > INT64_MAX - header.last_offset_delta() - 1)
      return std::nullopt;
    frame.last_offset = header.last_offset();
    frame.leader_epoch = header.leader_epoch();
    frame.max_timestamp = header.max_timestamp();
    return frame;
  }
  if (frame.magic < 0 || frame.magic > 1) return std::nullopt;
  const size_t overhead = frame.magic == 0 ? kOverhead0 : kOverhead1;
  if (length < static_cast<int64_t>(overhead) || bytes.size() < kBatchOverhead + overhead ||
      frame.base_offset.value == INT64_MAX)
    return std::nullopt;
  if (frame.magic == 1) frame.max_timestamp = load_be<int64_t>(bytes.data() + 18);
  return frame;
}

}  // namespace moldau
