// gzip by ISA-L, both ways. ISA-L knows four levels of effort, not nine: Kafka's 1-3 become 1, 4-6 (and the
// preset) 2, 7-9 become 3.
#include <isa-l/igzip_lib.h>

#include <algorithm>

#include "base/assert.h"
#include "record/codec_streams.h"

namespace moldau {
namespace {

constexpr size_t kMaxInput = 1u << 30;  // ISA-L counts in 32 bits

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

class GzipEncoder final : public Encoder {
 public:
  void open(int level, std::optional<size_t>, std::string& out) override {
    constexpr uint32_t kBufferSizes[] = {0, ISAL_DEF_LVL1_DEFAULT, ISAL_DEF_LVL2_DEFAULT,
                                         ISAL_DEF_LVL3_DEFAULT};
    out_ = &out;
    isal_deflate_init(stream_.get());
    stream_->gzip_flag = IGZIP_GZIP;
    stream_->level = level < 0 ? 2 : static_cast<uint32_t>(level + 2) / 3;
    if (buffer_level_ != stream_->level)
      buffer_ = std::make_unique_for_overwrite<uint8_t[]>(kBufferSizes[stream_->level]);
    buffer_level_ = stream_->level;
    stream_->level_buf = buffer_.get();
    stream_->level_buf_size = kBufferSizes[stream_->level];
  }
  void write(Bytes bytes) override {
    while (!bytes.empty()) {
      const size_t n = std::min(bytes.size(), kMaxInput);
      run(bytes.first(n), false);
      bytes = bytes.subspan(n);
    }
  }
  void finish() override { run({}, true); }

 private:
  void run(Bytes bytes, bool last) {
    stream_->next_in = const_cast<uint8_t*>(bytes.data());
    stream_->avail_in = static_cast<uint32_t>(bytes.size());
    stream_->end_of_stream = last;
    do {
      append_up_to(*out_, std::min<size_t>(bytes.size() / 2 + 4096, 1 << 20), [&](MutableBytes into) {
        stream_->next_out = into.data();
        stream_->avail_out = static_cast<uint32_t>(into.size());
        ASSERT(isal_deflate(stream_.get()) == COMP_OK);
        return into.size() - stream_->avail_out;
      });
    } while (stream_->avail_in > 0 || stream_->avail_out == 0);
  }

  std::unique_ptr<isal_zstream> stream_ = std::make_unique_for_overwrite<isal_zstream>();
  std::unique_ptr<uint8_t[]> buffer_;
  uint32_t buffer_level_ = 0;
  std::string* out_ = nullptr;
};

}  // namespace

std::unique_ptr<Decoder> make_gzip_decoder() {
  return std::make_unique<GzipDecoder>();
}
std::unique_ptr<Encoder> make_gzip_encoder() {
  return std::make_unique<GzipEncoder>();
}

}  // namespace moldau
