#include "log/segment_scan.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <memory>

#include "base/crc32c.h"

namespace moldau {
namespace {

constexpr int64_t kWindow = 1 << 20;
constexpr int64_t kHeaderWindow = 64 << 10;  // bodies are skipped
constexpr int64_t kLargestControlBatch = 4096;
constexpr size_t kLegacyCrcOffset = 12;

// A moving window over a file.
class Window {
 public:
  Window(const io::File& file, int64_t end, int64_t size)
      : file_(file),
        end_(end),
        size_(size),
        buffer_(std::make_unique_for_overwrite<uint8_t[]>(static_cast<size_t>(size))) {}

  // The bytes from `position` on, at least `need` of them unless the file ends; need <= the window.
  io::IoResult<Bytes> at(int64_t position, int64_t need) {
    need = std::min(need, end_ - position);
    if (position < begin_ || position + need > begin_ + length_) {
      const size_t want = static_cast<size_t>(std::min(size_, end_ - position));
      auto got = file_.read_at(position, {buffer_.get(), want});
      if (!got) return std::unexpected(std::move(got).error());
      begin_ = position, length_ = static_cast<int64_t>(*got);
    }
    return Bytes(buffer_.get() + (position - begin_), static_cast<size_t>(begin_ + length_ - position));
  }
  int64_t size() const { return size_; }

 private:
  const io::File& file_;
  int64_t end_;
  int64_t size_;
  std::unique_ptr<uint8_t[]> buffer_;
  int64_t begin_ = 0;
  int64_t length_ = 0;
};

// The checksum over a range of the file, window by window; nullopt: the file ends before it.
template <class Extend>
io::IoResult<std::optional<uint32_t>> checksum(Window& window, int64_t from, int64_t to,
                                               const Extend& extend) {
  uint32_t crc = 0;
  while (from < to) {
    auto bytes = window.at(from, std::min(to - from, window.size()));
    if (!bytes) return std::unexpected(std::move(bytes).error());
    if (bytes->empty()) return std::nullopt;
    const Bytes part = bytes->first(std::min(bytes->size(), static_cast<size_t>(to - from)));
    crc = extend(crc, part);
    from += static_cast<int64_t>(part.size());
  }
  return crc;
}

io::IoResult<bool> sum_matches(Window& window, const BatchFrame& frame, int64_t position, uint32_t stored) {
  const int64_t end = position + frame.size;
  const auto sum =
      frame.magic == kMagic2
          ? checksum(window, position + static_cast<int64_t>(kCrcCoverageStart), end,
                     [](uint32_t crc, Bytes b) { return crc32c_extend(crc, b); })
          : checksum(window, position + static_cast<int64_t>(kMagicOffset), end,
                     [](uint32_t crc, Bytes b) { return crc32_gzip_refl(crc, b.data(), b.size()); });
  if (!sum) return std::unexpected(sum.error());
  return *sum && **sum == stored;
}

// What the neighbours say about a batch's offset and epoch.
struct Neighbours {
  Offset next{-1};  // after the batch before; -1: there was none
  LeaderEpoch epoch = kNoLeaderEpoch;
  bool jumped_offset = false;  // the batch before did, relative to the one before it
  bool jumped_epoch = false;
};

struct Verdict {
  std::string problem;
  bool before_too = false;  // R2
};

Verdict judge(const BatchFrame& frame, const ScanRules& rules, const Neighbours& n) {
  const Offset lowest = std::max(rules.base, n.next);
  const std::string offsets =
      "offsets " + std::to_string(frame.base_offset.value) + " to " + std::to_string(frame.last_offset.value);
  if (frame.base_offset < lowest)
    return {offsets + " are not above " + std::to_string(lowest.value - 1), n.jumped_offset};
  if (frame.last_offset - rules.base > std::numeric_limits<int32_t>::max())
    return {offsets + " are too far from the segment's", false};
  if (n.next.value >= 0 && frame.base_offset != n.next && n.next >= rules.contiguous_from)
    return {offsets + " don't follow " + std::to_string(n.next.value - 1), false};
  const bool both = frame.leader_epoch.value >= 0 && n.epoch.value >= 0;
  if (both && frame.leader_epoch < n.epoch && frame.base_offset >= rules.epochs_from)
    return {"leader epoch " + std::to_string(frame.leader_epoch.value) + " comes after " +
                std::to_string(n.epoch.value),
            n.jumped_epoch};
  return {};
}

}  // namespace

io::IoResult<ScanEnd> scan_segment(const io::File& file, int64_t from, int64_t to, const ScanRules& rules,
                                   const std::function<void(const ScannedBatch&)>& visit) {
  Window window(file, to, rules.check_sums ? kWindow : kHeaderWindow);
  ScanEnd end{.valid_bytes = from, .problem = {}, .next = rules.next, .epoch = rules.epoch_before};
  Neighbours neighbours{rules.next, rules.epoch_before, false, false};
  std::optional<ScannedBatch> held;  // visited only once the next one doesn't contradict it
  int64_t reported = from;
  const auto release = [&] {
    if (!held) return;
    visit(*held);
    end.valid_bytes = held->position + held->frame.size;
    end.next = held->frame.next_offset();
    end.epoch = std::max(end.epoch, held->frame.leader_epoch);
    held.reset();
  };
  for (int64_t position = from; position < to;) {
    auto bytes = window.at(position, static_cast<int64_t>(kBatchHeaderSize));
    if (!bytes) return std::unexpected(std::move(bytes).error());
    const auto frame = parse_batch_frame(bytes->first(std::min(bytes->size(), kBatchHeaderSize)));
    Verdict verdict;
    if (!frame)
      verdict.problem = "no batch begins there";
    else if (position + frame->size > to)
      verdict.problem = "the batch isn't whole";
    ScannedBatch batch;
    if (verdict.problem.empty()) {
      batch = {.frame = *frame, .position = position, .marker = std::nullopt};
      const uint32_t stored =
          load_be<uint32_t>(bytes->data() + (frame->magic == kMagic2 ? 17 : kLegacyCrcOffset));
      if (frame->magic == kMagic2) {
        std::copy_n(bytes->data(), kBatchHeaderSize, batch.header);
        if (BatchHeader(batch.header).is_control() && frame->size <= kLargestControlBatch) {
          bytes = window.at(position, frame->size);
          if (!bytes) return std::unexpected(std::move(bytes).error());
          if (static_cast<int64_t>(bytes->size()) >= frame->size)
            batch.marker = end_transaction_marker(BatchHeader(bytes->data()));
        }
      }
      if (rules.check_sums) {
        const auto matches = sum_matches(window, *frame, position, stored);
        if (!matches) return std::unexpected(matches.error());
        if (!*matches) verdict.problem = "the checksum is wrong";
      }
      if (verdict.problem.empty()) verdict = judge(*frame, rules, neighbours);
    }
    if (!verdict.problem.empty()) {
      if (!verdict.before_too) release();
      end.problem = verdict.problem;
      return end;
    }
    release();
    neighbours.jumped_offset = neighbours.next.value >= 0 && frame->base_offset != neighbours.next;
    neighbours.jumped_epoch = neighbours.epoch.value >= 0 && frame->leader_epoch > neighbours.epoch;
    neighbours.next = frame->next_offset();
    if (frame->leader_epoch.value >= 0) neighbours.epoch = frame->leader_epoch;
    position += frame->size;
    held = batch;
    if (rules.progress && (position - reported >= kWindow || position >= to)) {
      if (!rules.progress(position - reported))
        return std::unexpected(
            io::IoError{io::IoError::Kind::kClosed, file.path() + ": recovery was stopped"});
      reported = position;
    }
  }
  release();
  return end;
}

}  // namespace moldau
