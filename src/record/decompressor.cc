#include "record/decompressor.h"

#include <algorithm>

#include "base/assert.h"
#include "record/codec_streams.h"

namespace moldau {

Decompressor::Decompressor() = default;
Decompressor::~Decompressor() = default;
Decompressor::Decompressor(Decompressor&&) noexcept = default;
Decompressor& Decompressor::operator=(Decompressor&&) noexcept = default;

namespace {

class PlainDecoder final : public Decoder {
 public:
  void open(Bytes bytes) override { rest_ = bytes; }
  Result<size_t> read(MutableBytes into) override {
    const size_t n = std::min(into.size(), rest_.size());
    if (n > 0) std::memcpy(into.data(), rest_.data(), n);
    rest_ = rest_.subspan(n);
    return n;
  }

 private:
  Bytes rest_;
};

}  // namespace

std::unique_ptr<Decoder> make_plain_decoder() {
  return std::make_unique<PlainDecoder>();
}

bool Decompressor::open(Codec codec, Bytes compressed) {
  using Make = std::unique_ptr<Decoder> (*)();
  constexpr Make kMake[] = {make_plain_decoder, make_gzip_decoder, make_snappy_decoder, make_lz4_decoder,
                            make_zstd_decoder};
  const auto index = static_cast<size_t>(codec);
  if (index >= std::size(kMake)) return false;
  auto& decoder = decoders_[index];
  if (!decoder) decoder = kMake[index]();
  current_ = decoder.get();
  current_->open(compressed);
  return true;
}

Result<size_t> Decompressor::read(MutableBytes into) {
  ASSERT(current_ && !into.empty());
  return current_->read(into);
}

void Decompressor::close() {
  if (current_) current_->close();
  current_ = nullptr;
}

Result<std::string> Decompressor::whole(Codec codec, Bytes compressed, size_t at_most) {
  if (!open(codec, compressed))
    return damaged("there is no codec " + std::to_string(static_cast<int>(codec)));
  std::string out;
  Result<size_t> last = size_t{1};
  while (last && *last > 0 && out.size() <= at_most) {
    // One byte more than allowed tells that there is too much.
    const size_t room = std::min<size_t>(std::max<size_t>(out.size(), 4096), at_most - out.size() + 1);
    append_up_to(out, room, [&](MutableBytes into) { return (last = read(into)).value_or(0); });
  }
  close();
  if (!last) return std::unexpected(std::move(last).error());
  if (out.size() > at_most)
    return fail(ErrorCode::kInvalidRecord,
                "it decompresses to more than " + std::to_string(at_most) + " bytes");
  return out;
}

}  // namespace moldau
