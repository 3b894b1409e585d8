// LZ4 frames. Kafka's reader takes a subset: version 1, independent blocks, no dictionary. Frames outside of
// it are refused here too, although liblz4 could read them: a Java consumer couldn't.
#include <lz4frame.h>

#include <algorithm>
#include <string_view>

#include "base/assert.h"
#include "record/codec_streams.h"

namespace moldau {
namespace {

constexpr uint8_t kMagic[] = {0x04, 0x22, 0x4d, 0x18};
constexpr size_t kShortestHeader = 7;
constexpr uint8_t kFlagMask = 0b11100011;  // version, independence, reserved
constexpr uint8_t kFlagValue = 0b01100000;
constexpr uint8_t kSizeMask = 0b10001111;  // reserved
constexpr uint8_t kLargestKept = 5;        // block size codes: 4 is 64 KiB, 5 256 KiB, 6 1 MiB, 7 4 MiB

class Lz4Decoder final : public Decoder {
 public:
  ~Lz4Decoder() override { LZ4F_freeDecompressionContext(context_); }

  void open(Bytes compressed) override {
    rest_ = compressed;
    ended_ = false;
    if (!context_) ASSERT(!LZ4F_isError(LZ4F_createDecompressionContext(&context_, LZ4F_VERSION)));
    LZ4F_resetDecompressionContext(context_);
    readable_ = rest_.size() >= kShortestHeader && std::memcmp(rest_.data(), kMagic, sizeof kMagic) == 0 &&
                (rest_[4] & kFlagMask) == kFlagValue && (rest_[5] & kSizeMask) == 0 && block_size() >= 4;
  }

  Result<size_t> read(MutableBytes into) override {
    if (!readable_) return damaged("lz4: this isn't a frame of independent blocks");
    while (!ended_) {
      size_t produced = into.size();
      size_t consumed = rest_.size();
      const size_t more = LZ4F_decompress(context_, into.data(), &produced, rest_.data(), &consumed, nullptr);
      if (LZ4F_isError(more) && !at_the_end(more))
        return damaged(std::string("lz4: ") + LZ4F_getErrorName(more));
      if (LZ4F_isError(more)) return ended_ = true, size_t{0};
      rest_ = rest_.subspan(consumed);
      ended_ = more == 0;
      if (produced > 0) return produced;
      if (!ended_ && consumed == 0) return damaged("lz4: the frame has no end mark");
    }
    return size_t{0};
  }

  void close() override {
    if (!readable_ || block_code_ <= kLargestKept) return;
    LZ4F_freeDecompressionContext(context_);
    context_ = nullptr;
  }

 private:
  uint8_t block_size() { return block_code_ = (rest_[5] >> 4) & 7; }

  // Errors that come after the last byte was decompressed and that Kafka's reader doesn't know: it checks
  // neither the content's checksum nor its size. LZ4F_getErrorCode is for static linking only, so the name
  // has to do.
  static bool at_the_end(size_t error) {
    const std::string_view name = LZ4F_getErrorName(error);
    return name == "ERROR_contentChecksum_invalid" || name == "ERROR_frameSize_wrong";
  }

  LZ4F_dctx* context_ = nullptr;
  Bytes rest_;
  uint8_t block_code_ = 0;
  bool readable_ = false;
  bool ended_ = false;
};

class Lz4Encoder final : public Encoder {
 public:
  ~Lz4Encoder() override { LZ4F_freeCompressionContext(context_); }

  void open(int level, std::optional<size_t>, std::string& out) override {
    out_ = &out;
    if (!context_) ASSERT(!LZ4F_isError(LZ4F_createCompressionContext(&context_, LZ4F_VERSION)));
    preferences_ = {};
    preferences_.frameInfo.blockSizeID = LZ4F_max64KB;
    preferences_.frameInfo.blockMode = LZ4F_blockIndependent;
    // Kafka's preset is the fast compressor, every other level the high one; liblz4 knows that one by 3
    // to 12.
    preferences_.compressionLevel = level == 9 ? 0 : std::clamp(level, 3, 12);
    put(LZ4F_HEADER_SIZE_MAX, [&](MutableBytes into) {
      return LZ4F_compressBegin(context_, into.data(), into.size(), &preferences_);
    });
  }
  void write(Bytes bytes) override {
    constexpr size_t kPiece = 1 << 20;
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), kPiece))) {
      const Bytes piece = bytes.first(std::min(bytes.size(), kPiece));
      put(LZ4F_compressBound(piece.size(), &preferences_), [&](MutableBytes into) {
        return LZ4F_compressUpdate(context_, into.data(), into.size(), piece.data(), piece.size(), nullptr);
      });
    }
  }
  void finish() override {
    put(LZ4F_compressBound(0, &preferences_),
        [&](MutableBytes into) { return LZ4F_compressEnd(context_, into.data(), into.size(), nullptr); });
  }

 private:
  template <class Write>
  void put(size_t room, Write&& write) {
    append_up_to(*out_, room, [&](MutableBytes into) {
      const size_t written = write(into);
      ASSERT(!LZ4F_isError(written));
      return written;
    });
  }

  LZ4F_cctx* context_ = nullptr;
  LZ4F_preferences_t preferences_ = {};
  std::string* out_ = nullptr;
};

}  // namespace

std::unique_ptr<Decoder> make_lz4_decoder() {
  return std::make_unique<Lz4Decoder>();
}
std::unique_ptr<Encoder> make_lz4_encoder() {
  return std::make_unique<Lz4Encoder>();
}

}  // namespace moldau
