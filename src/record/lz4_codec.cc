// LZ4 frames. Kafka's reader takes a subset: version 1, independent blocks, no dictionary. Frames outside of
// it are refused here too, although liblz4 could read them: a Java consumer couldn't.
#include <lz4frame.h>

#include <algorithm>

#include "base/assert.h"
#include "record/codec_streams.h"

namespace moldau {
namespace {

//   magic int32 LE | flags | block sizes | content size int64, if flagged | checksum of the header
//   blocks: size int32 LE (top bit: stored), bytes, checksum if flagged | int32 0 | content checksum, if flagged
constexpr uint8_t kMagic[] = {0x04, 0x22, 0x4d, 0x18};
constexpr size_t kShortestHeader = 7;
constexpr uint8_t kFlagMask = 0b11100011;  // version, independence, reserved, dictionary
constexpr uint8_t kFlagValue = 0b01100000;
constexpr uint8_t kContentFlags = 0b00001100;
constexpr uint8_t kSizeMask = 0b10001111;  // reserved
constexpr uint8_t kSmallestCode = 4;       // block size codes: 4 is 64 KiB, 5 256 KiB, 6 1 MiB, 7 4 MiB
constexpr uint8_t kLargestKeptCode = 5;
// The header's checksum, by block checksums and block size code, if no content flag is set.
constexpr uint8_t kHeaderChecksums[2][4] = {{0x82, 0xfb, 0x51, 0x73}, {0xad, 0x84, 0x33, 0x72}};

class Lz4Decoder final : public Decoder {
 public:
  ~Lz4Decoder() override {
    LZ4F_freeDecompressionContext(header_context_);
    LZ4F_freeDecompressionContext(context_);
  }

  void open(Bytes compressed) override {
    rest_ = compressed;
    ended_ = false;
    if (!context_) create(context_);
    LZ4F_resetDecompressionContext(context_);
    const bool frame =
        rest_.size() >= kShortestHeader && std::memcmp(rest_.data(), kMagic, sizeof kMagic) == 0;
    block_code_ = frame ? (rest_[5] >> 4) & 7 : 0;
    readable_ = frame && (rest_[4] & kFlagMask) == kFlagValue && (rest_[5] & kSizeMask) == 0 &&
                block_code_ >= kSmallestCode;
    if (readable_ && (rest_[4] & kContentFlags)) readable_ = replace_header();
  }

  Result<size_t> read(MutableBytes into) override {
    if (!readable_) return damaged("lz4: this isn't a frame of independent blocks");
    while (!ended_) {
      size_t produced = into.size();
      size_t consumed = rest_.size();
      const size_t more = LZ4F_decompress(context_, into.data(), &produced, rest_.data(), &consumed, nullptr);
      if (LZ4F_isError(more)) return damaged(std::string("lz4: ") + LZ4F_getErrorName(more));
      rest_ = rest_.subspan(consumed);
      ended_ = more == 0;
      if (produced > 0) return produced;
      if (!ended_ && consumed == 0) return damaged("lz4: the frame has no end mark");
    }
    return size_t{0};
  }

  void close() override {
    if (!readable_ || block_code_ <= kLargestKeptCode) return;
    LZ4F_freeDecompressionContext(context_);
    context_ = nullptr;
  }

 private:
  // Kafka's reader checks neither the content's size nor its checksum, and some producers get them wrong;
  // liblz4 insists on both. So it is given the same header without them, once the real one was found sound.
  // That needs a context of its own: resetting one doesn't make it forget a content size (liblz4 1.9.4).
  bool replace_header() {
    if (!header_context_) create(header_context_);
    LZ4F_resetDecompressionContext(header_context_);
    LZ4F_frameInfo_t info;
    size_t consumed = rest_.size();
    if (LZ4F_isError(LZ4F_getFrameInfo(header_context_, &info, rest_.data(), &consumed))) return false;
    const auto flags = static_cast<uint8_t>(rest_[4] & ~kContentFlags);
    const uint8_t header[] = {kMagic[0],
                              kMagic[1],
                              kMagic[2],
                              kMagic[3],
                              flags,
                              rest_[5],
                              kHeaderChecksums[(flags >> 4) & 1][block_code_ - kSmallestCode]};
    size_t produced = 0, taken = sizeof header;
    const size_t more = LZ4F_decompress(context_, nullptr, &produced, header, &taken, nullptr);
    ASSERT(!LZ4F_isError(more) && taken == sizeof header);
    rest_ = rest_.subspan(consumed);
    return true;
  }
  static void create(LZ4F_dctx*& context) {
    ASSERT(!LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)), "out of memory");
  }

  LZ4F_dctx* header_context_ = nullptr;
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
