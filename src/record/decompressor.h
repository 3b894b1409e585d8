// Decompressor: a compressed block of bytes in, decompressed bytes out, piece by piece. Reads every form that
// Kafka's reader takes:
//   gzip    RFC 1952, several members one after another; what follows and is no member is ignored
//   snappy  snappy-java's framing, or one raw block
//   lz4     one frame with independent blocks; what follows its end mark is ignored, and so are the content's size
//           and checksum
//   zstd    frames one after another, nothing else
//
// Keeps a context per codec that it has met; one caller at a time.
#pragma once
#include <array>
#include <memory>

#include "base/bytes.h"
#include "base/result.h"
#include "record/batch_header.h"

namespace moldau {

class Decoder;

class Decompressor {
 public:
  Decompressor();
  ~Decompressor();
  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;

  // Begins with a block, which must outlive the reading. False: there is no such codec.
  bool open(Codec codec, Bytes compressed);
  // Fills `into` (not empty) as far as is convenient: at least one byte, or 0 at the end. Once it has failed
  // it isn't asked again. The error is UNKNOWN_SERVER_ERROR, Kafka's answer to a block that can't be
  // decompressed.
  Result<size_t> read(MutableBytes into);
  // Gives back memory that only an unusual block needs (a zstd window above 8 MiB, lz4 blocks of 4 MiB).
  void close();

  // All at once; INVALID_RECORD if it is more than `at_most` bytes.
  Result<std::string> whole(Codec codec, Bytes compressed, size_t at_most);

 private:
  std::array<std::unique_ptr<Decoder>, 5> decoders_;  // by codec; made when first met
  Decoder* current_ = nullptr;
};

}  // namespace moldau
