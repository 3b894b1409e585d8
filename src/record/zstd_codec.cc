// Zstandard frames. Windows up to 128 MiB are read, which is what level 22 may write; memory for windows
// above 8 MiB is given back after the block. A small frame that claims a large window costs address space, not
// memory: only what is decompressed gets touched.
#include <zstd.h>

#include <algorithm>

#include "base/assert.h"
#include "record/codec_streams.h"

namespace moldau {
namespace {

constexpr size_t kKeptBytes = 9 << 20;

class ZstdDecoder final : public Decoder {
 public:
  ~ZstdDecoder() override { ZSTD_freeDCtx(context_); }

  void open(Bytes compressed) override {
    if (!context_) context_ = ZSTD_createDCtx();
    ASSERT(context_, "out of memory");
    ZSTD_DCtx_reset(context_, ZSTD_reset_session_only);
    in_ = {compressed.data(), compressed.size(), 0};
    within_frame_ = false;
  }

  Result<size_t> read(MutableBytes into) override {
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size && !within_frame_) return size_t{0};
      const size_t before = in_.pos;
      const size_t more = ZSTD_decompressStream(context_, &out, &in_);
      if (ZSTD_isError(more)) return damaged(std::string("zstd: ") + ZSTD_getErrorName(more));
      within_frame_ = more != 0;
      if (within_frame_ && out.pos == 0 && in_.pos == before)
        return damaged("zstd: the frame ends too early");
    }
    return out.pos;
  }

  void close() override {
    if (ZSTD_sizeof_DCtx(context_) <= kKeptBytes) return;
    ZSTD_freeDCtx(context_);
    context_ = nullptr;
  }

 private:
  ZSTD_DCtx* context_ = nullptr;
  ZSTD_inBuffer in_{};
  bool within_frame_ = false;
};

class ZstdEncoder final : public Encoder {
 public:
  ~ZstdEncoder() override { ZSTD_freeCCtx(context_); }

  void open(int level, std::optional<size_t> size, std::string& out) override {
    out_ = &out;
    if (!context_) context_ = ZSTD_createCCtx();
    ASSERT(context_, "out of memory");
    ZSTD_CCtx_reset(context_, ZSTD_reset_session_and_parameters);
    ASSERT(!ZSTD_isError(ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, level)));
    if (size) ZSTD_CCtx_setPledgedSrcSize(context_, *size);
  }
  void write(Bytes bytes) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    while (in.pos < in.size) run(in, ZSTD_e_continue);
  }
  void finish() override {
    ZSTD_inBuffer in{nullptr, 0, 0};
    while (run(in, ZSTD_e_end) != 0) {
    }
    if (ZSTD_sizeof_CCtx(context_) <= kKeptBytes) return;
    ZSTD_freeCCtx(context_);
    context_ = nullptr;
  }

 private:
  size_t run(ZSTD_inBuffer& in, ZSTD_EndDirective how) {
    size_t left = 0;
    append_up_to(*out_, std::min(ZSTD_compressBound(in.size - in.pos) + 64, ZSTD_CStreamOutSize()),
                 [&](MutableBytes into) {
                   ZSTD_outBuffer out{into.data(), into.size(), 0};
                   left = ZSTD_compressStream2(context_, &out, &in, how);
                   ASSERT(!ZSTD_isError(left), "out of memory, or not as many bytes as were pledged");
                   return out.pos;
                 });
    return left;
  }

  ZSTD_CCtx* context_ = nullptr;
  std::string* out_ = nullptr;
};

}  // namespace

std::unique_ptr<Decoder> make_zstd_decoder() {
  return std::make_unique<ZstdDecoder>();
}
std::unique_ptr<Encoder> make_zstd_encoder() {
  return std::make_unique<ZstdEncoder>();
}

}  // namespace moldau
