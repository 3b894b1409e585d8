#include "record/compressor.h"

#include "base/assert.h"
#include "record/codec_streams.h"

namespace moldau {

Compressor::Compressor() = default;
Compressor::~Compressor() = default;
Compressor::Compressor(Compressor&&) noexcept = default;
Compressor& Compressor::operator=(Compressor&&) noexcept = default;

namespace {

class PlainEncoder final : public Encoder {
 public:
  void open(int, std::optional<size_t> size, std::string& out) override {
    out_ = &out;
    if (size) out.reserve(out.size() + *size);
  }
  void write(Bytes bytes) override { out_->append(as_text(bytes)); }
  void finish() override {}

 private:
  std::string* out_ = nullptr;
};

constexpr std::string_view kNames[] = {"none", "gzip", "snappy", "lz4", "zstd"};

}  // namespace

std::unique_ptr<Encoder> make_plain_encoder() {
  return std::make_unique<PlainEncoder>();
}

LevelRange compression_levels(Codec codec) {
  switch (codec) {
    case Codec::kGzip: return {1, 9, -1};
    case Codec::kLz4: return {1, 17, 9};
    case Codec::kZstd: return {-131072, 22, 3};
    case Codec::kNone:
    case Codec::kSnappy: break;
  }
  return {};
}

std::string_view codec_name(Codec codec) {
  const auto index = static_cast<size_t>(codec);
  return index < std::size(kNames) ? kNames[index] : "unknown";
}

std::optional<Codec> parse_codec(std::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) return static_cast<Codec>(i);
  return name == "uncompressed" ? std::optional(Codec::kNone) : std::nullopt;
}

void Compressor::open(Codec codec, std::optional<int> level, std::string& out, std::optional<size_t> size) {
  using Make = std::unique_ptr<Encoder> (*)();
  constexpr Make kMake[] = {make_plain_encoder, make_gzip_encoder, make_snappy_encoder, make_lz4_encoder,
                            make_zstd_encoder};
  const LevelRange levels = compression_levels(codec);
  const auto index = static_cast<size_t>(codec);
  ASSERT(index < std::size(kMake) && !current_);
  ASSERT(!level || levels.none() || levels.holds(*level), "the configuration admits no other level");
  auto& encoder = encoders_[index];
  if (!encoder) encoder = kMake[index]();
  current_ = encoder.get();
  current_->open(level.value_or(levels.preset), size, out);
}

void Compressor::write(Bytes bytes) {
  ASSERT(current_);
  if (!bytes.empty()) current_->write(bytes);
}

void Compressor::finish() {
  ASSERT(current_);
  current_->finish();
  current_ = nullptr;
}

}  // namespace moldau
