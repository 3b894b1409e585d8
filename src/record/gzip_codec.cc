// gzip. ISA-L reads it and writes it, ten times as fast as zlib; but it knows no such thing as more effort
// for fewer bytes. So levels 4 to 9, which somebody must have asked for, are zlib's, while the preset and
// levels 1 to 3 are ISA-L's.
#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include <algorithm>

#include "base/assert.h"
#include "record/codec_streams.h"

namespace moldau {
namespace {

constexpr size_t kMaxInput = 1u << 30;  // both libraries count in 32 bits
constexpr int kThoroughFrom = 4;

size_t room_for(Bytes bytes) {
  return std::min<size_t>(bytes.size() / 2 + 4096, 1 << 20);
}

class GzipDecoder final : public Decoder {
 public:
  void open(Bytes compressed) override {
    rest_ = compressed;
    ended_ = false;
    begin_member();
  }

  Result<size_t> read(MutableBytes into) override {
    while (!ended_) {
      if (state_->avail_in == 0) feed();
      state_->next_out = into.data();
      state_->avail_out = static_cast<uint32_t>(std::min(into.size(), kMaxInput));
      const uint32_t room = state_->avail_out;
      const int code = isal_inflate(state_.get());
      if (code != ISAL_DECOMP_OK) return damaged("gzip: the data is damaged (" + std::to_string(code) + ")");
      const size_t produced = room - state_->avail_out;
      if (state_->block_state == ISAL_BLOCK_FINISH)
        next_member();
      else if (produced == 0 && state_->avail_in == 0 && rest_.empty())
        return damaged("gzip: the data ends too early");
      if (produced > 0) return produced;
    }
    return size_t{0};
  }

 private:
  void begin_member() {
    isal_inflate_init(state_.get());
    state_->crc_flag = ISAL_GZIP;
    state_->avail_in = 0;
    feed();
  }
  void feed() {
    const size_t n = std::min(rest_.size(), kMaxInput);
    state_->next_in = const_cast<uint8_t*>(rest_.data());
    state_->avail_in = static_cast<uint32_t>(n);
    rest_ = rest_.subspan(n);
  }
  // Java's reader goes on if another member's header follows, and takes anything else for the end.
  void next_member() {
    Bytes left(state_->next_in, state_->avail_in + rest_.size());
    ended_ = left.size() < 18 || left[0] != 0x1f || left[1] != 0x8b || left[2] != 8;
    if (ended_) return;
    rest_ = left;
    begin_member();
  }

  std::unique_ptr<inflate_state> state_ = std::make_unique_for_overwrite<inflate_state>();
  Bytes rest_;  // behind what the state was given
  bool ended_ = false;
};

class FastEncoder {
 public:
  void open(std::string& out) {
    out_ = &out;
    isal_deflate_init(stream_.get());
    stream_->gzip_flag = IGZIP_GZIP;
    stream_->level = 1;
    stream_->level_buf = buffer_.get();
    stream_->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
  }
  void run(Bytes bytes, bool last) {
    stream_->next_in = const_cast<uint8_t*>(bytes.data());
    stream_->avail_in = static_cast<uint32_t>(bytes.size());
    stream_->end_of_stream = last;
    do {
      append_up_to(*out_, room_for(bytes), [&](MutableBytes into) {
        stream_->next_out = into.data();
        stream_->avail_out = static_cast<uint32_t>(into.size());
        ASSERT(isal_deflate(stream_.get()) == COMP_OK);
        return into.size() - stream_->avail_out;
      });
    } while (stream_->avail_in > 0 || stream_->avail_out == 0);
  }

 private:
  std::unique_ptr<isal_zstream> stream_ = std::make_unique_for_overwrite<isal_zstream>();
  std::unique_ptr<uint8_t[]> buffer_ = std::make_unique_for_overwrite<uint8_t[]>(ISAL_DEF_LVL1_DEFAULT);
  std::string* out_ = nullptr;
};

class ThoroughEncoder {
 public:
  ThoroughEncoder() = default;
  ThoroughEncoder(const ThoroughEncoder&) = delete;
  ThoroughEncoder& operator=(const ThoroughEncoder&) = delete;
  ~ThoroughEncoder() { deflateEnd(&stream_); }

  void open(int level, std::string& out) {
    constexpr int kWindowBits = 15 + 16;  // 16: with gzip's header and trailer
    out_ = &out;
    if (level == level_) {
      ASSERT(deflateReset(&stream_) == Z_OK);
      return;
    }
    deflateEnd(&stream_);
    stream_ = {};
    ASSERT(deflateInit2(&stream_, level, Z_DEFLATED, kWindowBits, 8, Z_DEFAULT_STRATEGY) == Z_OK,
           "out of memory");
    level_ = level;
  }
  void run(Bytes bytes, bool last) {
    stream_.next_in = const_cast<uint8_t*>(bytes.data());
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      append_up_to(*out_, room_for(bytes), [&](MutableBytes into) {
        stream_.next_out = into.data();
        stream_.avail_out = static_cast<uInt>(into.size());
        ASSERT(deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH) != Z_STREAM_ERROR);
        return into.size() - stream_.avail_out;
      });
    } while (stream_.avail_out == 0);
  }

 private:
  z_stream stream_{};
  int level_ = 0;  // of the stream; 0: there is none yet
  std::string* out_ = nullptr;
};

class GzipEncoder final : public Encoder {
 public:
  void open(int level, std::optional<size_t>, std::string& out) override {
    thorough_ = level >= kThoroughFrom;
    if (thorough_)
      thorough_encoder_.open(level, out);
    else
      fast_encoder_.open(out);
  }
  void write(Bytes bytes) override {
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), kMaxInput)))
      run(bytes.first(std::min(bytes.size(), kMaxInput)), false);
  }
  void finish() override { run({}, true); }

 private:
  void run(Bytes bytes, bool last) {
    if (thorough_)
      thorough_encoder_.run(bytes, last);
    else
      fast_encoder_.run(bytes, last);
  }

  FastEncoder fast_encoder_;
  ThoroughEncoder thorough_encoder_;
  bool thorough_ = false;
};

}  // namespace

std::unique_ptr<Decoder> make_gzip_decoder() {
  return std::make_unique<GzipDecoder>();
}
std::unique_ptr<Encoder> make_gzip_encoder() {
  return std::make_unique<GzipEncoder>();
}

}  // namespace moldau
