// Snappy in the two forms that are found in batches.
//
//   framed (snappy-java)   82 'S' 'N' 'A' 'P' 'P' 'Y' 00   version int32   compatible version int32
//                          then blocks: size int32, a raw block. The header may occur again in a block's place.
//   raw                    one raw block: decompressed size uvarint, then the elements (what librdkafka writes)
#include <snappy.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/assert.h"
#include "base/endian.h"
#include "record/codec_streams.h"

namespace moldau {
namespace {

constexpr std::array<uint8_t, 8> kMagic = {0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0};
constexpr size_t kHeaderSize = 16;
constexpr int32_t kVersion = 1;
constexpr size_t kBlockSize = 32 << 10;
constexpr size_t kKeptBytes = 1 << 20;

const char* chars(const uint8_t* p) {
  return reinterpret_cast<const char*>(p);
}

class SnappyDecoder final : public Decoder {
 public:
  void open(Bytes compressed) override {
    rest_ = compressed;
    block_ = {};
    framed_ = starts_with_header();
    failed_ = compressed.empty();
    if (framed_) skip_header();
  }

  Result<size_t> read(MutableBytes into) override {
    if (failed_) return damaged("snappy: there is no data, or none that this version reads");
    while (block_.empty() && !rest_.empty()) {
      TRY_ASSIGN(const Bytes compressed, next_block());
      if (compressed.empty()) continue;
      TRY_ASSIGN(const size_t size, decompressed_size(compressed));
      uint8_t* to = size <= into.size() ? into.data() : room(size);
      if (!snappy::RawUncompress(chars(compressed.data()), compressed.size(), reinterpret_cast<char*>(to)))
        return damaged("snappy: a block is damaged");
      if (to == into.data() && size > 0) return size;
      if (to != into.data()) block_ = {to, size};
    }
    const size_t n = std::min(into.size(), block_.size());
    if (n > 0) std::memcpy(into.data(), block_.data(), n);
    block_ = block_.subspan(n);
    return n;
  }

  void close() override {
    if (capacity_ > kKeptBytes) buffer_.reset(), capacity_ = 0;
  }

 private:
  bool starts_with_header() const {
    return rest_.size() >= kHeaderSize && std::memcmp(rest_.data(), kMagic.data(), kMagic.size()) == 0;
  }
  void skip_header() {
    failed_ = load_be<int32_t>(rest_.data() + 8) < kVersion;
    rest_ = rest_.subspan(kHeaderSize);
  }

  // Empty: there was none, only a header or fewer bytes than a size takes, which snappy-java ignores too.
  Result<Bytes> next_block() {
    if (!framed_) return std::exchange(rest_, {});
    if (rest_.size() < 4) return rest_ = {};
    if (rest_[0] == kMagic[0]) {  // as a size it would be negative
      if (!starts_with_header()) return damaged("snappy: a block has a negative size");
      skip_header();
      if (failed_) return damaged("snappy: a header of a version that isn't read");
      return Bytes{};
    }
    const int32_t size = load_be<int32_t>(rest_.data());
    if (size <= 0 || static_cast<size_t>(size) > rest_.size() - 4)
      return damaged("snappy: a block of " + std::to_string(size) + " bytes doesn't fit");
    const Bytes block = rest_.subspan(4, static_cast<size_t>(size));
    rest_ = rest_.subspan(4 + block.size());
    return block;
  }

  static Result<size_t> decompressed_size(Bytes block) {
    size_t size = 0;
    // The most that an element gives is 64 bytes for 3; a block that claims more is never worth the memory.
    if (!snappy::GetUncompressedLength(chars(block.data()), block.size(), &size) ||
        size > block.size() * 64 / 3 + 64)
      return damaged("snappy: a block claims more than it can hold");
    return size;
  }

  uint8_t* room(size_t size) {
    if (size > capacity_) {
      buffer_ = std::make_unique_for_overwrite<uint8_t[]>(size);
      capacity_ = size;
    }
    return buffer_.get();
  }

  Bytes rest_;
  Bytes block_;  // decompressed and not yet handed out, in buffer_
  bool framed_ = false;
  bool failed_ = false;
  std::unique_ptr<uint8_t[]> buffer_;
  size_t capacity_ = 0;
};

class SnappyEncoder final : public Encoder {
 public:
  void open(int, std::optional<size_t>, std::string& out) override {
    out_ = &out;
    pending_.clear();
    uint8_t header[kHeaderSize];
    std::memcpy(header, kMagic.data(), kMagic.size());
    store_be<int32_t>(header + 8, kVersion);
    store_be<int32_t>(header + 12, kVersion);
    out.append(chars(header), sizeof header);
  }
  void write(Bytes bytes) override {
    if (!pending_.empty()) {
      const Bytes head = bytes.first(std::min(bytes.size(), kBlockSize - pending_.size()));
      pending_.append(as_text(head));
      bytes = bytes.subspan(head.size());
      if (pending_.size() == kBlockSize) flush();
    }
    for (; bytes.size() >= kBlockSize; bytes = bytes.subspan(kBlockSize)) put_block(bytes.first(kBlockSize));
    if (!bytes.empty()) pending_.append(as_text(bytes));
  }
  void finish() override { flush(); }

 private:
  void flush() {
    if (!pending_.empty()) put_block(as_bytes(pending_));
    pending_.clear();
  }
  void put_block(Bytes block) {
    append_up_to(*out_, 4 + snappy::MaxCompressedLength(block.size()), [&](MutableBytes into) {
      size_t size = 0;
      snappy::RawCompress(chars(block.data()), block.size(), reinterpret_cast<char*>(into.data() + 4), &size);
      store_be<int32_t>(into.data(), static_cast<int32_t>(size));
      return 4 + size;
    });
  }

  std::string pending_;  // less than a block
  std::string* out_ = nullptr;
};

}  // namespace

std::unique_ptr<Decoder> make_snappy_decoder() {
  return std::make_unique<SnappyDecoder>();
}
std::unique_ptr<Encoder> make_snappy_encoder() {
  return std::make_unique<SnappyEncoder>();
}

}  // namespace moldau
