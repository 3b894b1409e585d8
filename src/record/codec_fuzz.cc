// Two properties of each codec: what was compressed in any pieces decompresses, in any pieces, to the same
// bytes; and arbitrary bytes never give more than the limit, nor anything but a refusal or a result.
#include <algorithm>

#include "base/assert.h"
#include "record/compressor.h"
#include "record/decompressor.h"

using namespace moldau;

namespace {

constexpr size_t kLimit = 1 << 20;

int level_of(Codec codec, uint8_t choice) {
  const LevelRange levels = compression_levels(codec);
  if (levels.none() || choice % 4 == 0) return levels.preset;
  const int lowest = std::max(levels.lowest, -8),
            highest = std::min(levels.highest, 12);  // the others take long
  return lowest + choice % (highest - lowest + 1);
}

void round_trip(Compressor& compressor, Decompressor& decompressor, Codec codec, uint8_t choice,
                Bytes bytes) {
  std::string block;
  const bool size_known = choice & 128;
  compressor.open(codec, level_of(codec, choice), block,
                  size_known ? std::optional(bytes.size()) : std::nullopt);
  const size_t piece = 1 + choice * 7u;
  for (size_t at = 0; at < bytes.size(); at += piece)
    compressor.write(bytes.subspan(at, std::min(piece, bytes.size() - at)));
  compressor.finish();

  ASSERT(decompressor.open(codec, as_bytes(block)));
  uint8_t into[300];
  const size_t room = 1 + choice;
  size_t at = 0;
  for (;;) {
    const auto read = decompressor.read(MutableBytes(into).first(room));
    ASSERT(read.has_value() && *read <= room);
    if (*read == 0) break;
    ASSERT(at + *read <= bytes.size() && equal(Bytes(into, *read), bytes.subspan(at, *read)));
    at += *read;
  }
  ASSERT(at == bytes.size());
  decompressor.close();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Compressor compressor;
  static Decompressor decompressor;
  if (size < 2) return 0;
  const auto codec = static_cast<Codec>(data[0] % 5);
  const Bytes bytes(data + 2, size - 2);
  round_trip(compressor, decompressor, codec, data[1], bytes);
  const auto any = decompressor.whole(codec, bytes, kLimit);
  ASSERT(!any || any->size() <= kLimit);
  return 0;
}
