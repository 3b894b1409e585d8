// Decoder and Encoder: what each codec's file provides to Decompressor and Compressor. Not for others.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace moldau {

inline std::unexpected<Error> damaged(std::string why) {
  return fail(ErrorCode::kUnknownServerError, std::move(why));
}

class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual void open(Bytes compressed) = 0;
  virtual Result<size_t> read(MutableBytes into) = 0;  // 0: the end
  virtual void close() {}
};

class Encoder {
 public:
  virtual ~Encoder() = default;
  // Appends to `out` until finish. `size`: of everything that will be written, if known: makes for smaller
  // windows.
  virtual void open(int level, std::optional<size_t> size, std::string& out) = 0;
  virtual void write(Bytes bytes) = 0;
  virtual void finish() = 0;
};

std::unique_ptr<Decoder> make_plain_decoder();
std::unique_ptr<Decoder> make_gzip_decoder();
std::unique_ptr<Decoder> make_snappy_decoder();
std::unique_ptr<Decoder> make_lz4_decoder();
std::unique_ptr<Decoder> make_zstd_decoder();

std::unique_ptr<Encoder> make_plain_encoder();
std::unique_ptr<Encoder> make_gzip_encoder();
std::unique_ptr<Encoder> make_snappy_encoder();
std::unique_ptr<Encoder> make_lz4_encoder();
std::unique_ptr<Encoder> make_zstd_encoder();

// Lets `write` put at most `room` bytes behind what `out` holds; it returns how many it has put.
template <class Write>
void append_up_to(std::string& out, size_t room, Write&& write) {
  const size_t before = out.size();
  out.resize_and_overwrite(before + room, [&](char* data, size_t) {
    return before + write(MutableBytes(reinterpret_cast<uint8_t*>(data) + before, room));
  });
}

}  // namespace moldau
