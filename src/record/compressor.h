// Compressor: bytes in, piece by piece; a compressed block appended to a string. Writes the forms that
// Kafka's own clients write: gzip with one member, snappy in snappy-java's framing with blocks of 32 KiB, an
// lz4 frame of independent blocks of 64 KiB without checksums, one zstd frame.
//
// Keeps a context per codec that it has used; one caller at a time.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "record/batch_header.h"

namespace moldau {

class Encoder;

struct LevelRange {
  int lowest = 0;
  int highest = 0;
  int preset = 0;  // what is used if nobody says otherwise; may lie outside (gzip: -1)
  bool none() const { return lowest == highest; }
  bool holds(int level) const { return level == preset || (level >= lowest && level <= highest); }
};
LevelRange compression_levels(Codec codec);  // none and snappy have no levels, and ignore one

std::string_view codec_name(Codec codec);  // as in compression.type: none, gzip, snappy, lz4, zstd
std::optional<Codec> parse_codec(std::string_view name);  // also "uncompressed"

class Compressor {
 public:
  Compressor();
  ~Compressor();
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) noexcept;

  // Begins a block at the end of `out`, which must live until finish. The level must be in
  // compression_levels; none: the preset. `size`, if known, is what will be written in all, exactly.
  void open(Codec codec, std::optional<int> level, std::string& out, std::optional<size_t> size = {});
  void write(Bytes bytes);
  void finish();

 private:
  std::array<std::unique_ptr<Encoder>, 5> encoders_;  // by codec; made when first used
  Encoder* current_ = nullptr;
};

}  // namespace moldau
