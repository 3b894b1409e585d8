// One record of a batch, as views into the batch's bytes, and the parser for it.
//
//   length         varint    bytes that follow this field
//   attributes     int8      unused
//   timestamp      varlong   difference to the batch's base timestamp
//   offset         varint    difference to the batch's base offset
//   key            varint size (negative: null), bytes
//   value          varint size (negative: null), bytes
//   headers        varint count, then each: varint size (never negative), key, varint size (negative: null), value
//
// Varints are read as Kafka reads them: overlong ones are fine, and what doesn't fit 32 bits is dropped.
#pragma once
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/time.h"
#include "base/varint.h"

namespace moldau {

struct HeaderView {
  std::string_view key;  // UTF-8 by convention; not checked, as in Kafka
  std::optional<Bytes> value;
};

// Headers that were found sound: iterating them can't fail.
class HeadersView {
 public:
  HeadersView() = default;
  HeadersView(Bytes bytes, int32_t count) : bytes_(bytes), count_(count) {}

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = HeaderView;
    using difference_type = ptrdiff_t;
    using pointer = const HeaderView*;
    using reference = const HeaderView&;

    Iterator(const uint8_t* p, const uint8_t* end, int32_t left) : p_(p), end_(end), left_(left) { load(); }
    const HeaderView& operator*() const { return header_; }
    const HeaderView* operator->() const { return &header_; }
    Iterator& operator++() { return --left_, load(), *this; }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator!=(const Iterator& other) const { return left_ != other.left_; }
    bool operator==(const Iterator& other) const { return left_ == other.left_; }

   private:
    void load();
    const uint8_t* p_;
    const uint8_t* end_;
    int32_t left_;
    HeaderView header_;
  };
  Iterator begin() const { return {bytes_.data(), bytes_.data() + bytes_.size(), count_}; }
  Iterator end() const { return {nullptr, nullptr, 0}; }
  int32_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  Bytes bytes() const { return bytes_; }  // as encoded, without the count

 private:
  Bytes bytes_;
  int32_t count_ = 0;
};

struct RecordSummary {  // what can be told without holding the record's contents
  Offset offset;
  WallMs timestamp = -1;        // with LogAppendTime: the batch's
  int64_t timestamp_delta = 0;  // as stored
  int32_t offset_delta = 0;
  int32_t size = 0;         // bytes, its length field included
  int32_t key_size = -1;    // -1: null
  int32_t value_size = -1;  // -1: null

  bool has_key() const { return key_size >= 0; }
};

struct RecordView : RecordSummary {
  std::optional<Bytes> key;
  std::optional<Bytes> value;
  HeadersView headers;
};

// ---- parsing

// Both return the byte after the value, or nullptr if the input ends within it or it has too many bytes.
inline const uint8_t* take_varlong(const uint8_t* p, const uint8_t* end, int64_t& out) {
  if (p != end && *p < 0x80) [[likely]] {
    out = unzigzag(*p);
    return p + 1;
  }
  uint64_t v = 0;
  p = get_uvarint(p, end, v, 64);
  out = unzigzag(v);
  return p;
}

inline const uint8_t* take_varint(const uint8_t* p, const uint8_t* end, int32_t& out) {
  if (end - p >= 2) [[likely]] {
    uint32_t v = *p++;
    if (v >= 0x80) {
      uint32_t b = *p++;
      v = (v & 0x7f) | (b & 0x7f) << 7;
      for (int shift = 14; b >= 0x80; shift += 7) {
        if (shift == 35 || p == end) return nullptr;
        b = *p++;
        v |= (b & 0x7f) << shift;
      }
    }
    out = static_cast<int32_t>(v >> 1) ^ -static_cast<int32_t>(v & 1);
    return p;
  }
  if (p == end || *p >= 0x80) return nullptr;
  out = static_cast<int32_t>(unzigzag(*p));
  return p + 1;
}

// What follows the record's length: must take exactly [p, end). False: sizes don't add up. offset and
// timestamp are the caller's to set.
inline bool parse_record_body(const uint8_t* p, const uint8_t* end, RecordView& out) {
  if (p == end) return false;
  ++p;
  int32_t size = 0;
  if (!(p = take_varlong(p, end, out.timestamp_delta))) return false;
  if (!(p = take_varint(p, end, out.offset_delta))) return false;

  if (!(p = take_varint(p, end, size)) || size > end - p) return false;
  out.key_size = size < 0 ? -1 : size;
  out.key.reset();
  if (size >= 0) out.key.emplace(p, static_cast<size_t>(size)), p += size;

  if (!(p = take_varint(p, end, size)) || size > end - p) return false;
  out.value_size = size < 0 ? -1 : size;
  out.value.reset();
  if (size >= 0) out.value.emplace(p, static_cast<size_t>(size)), p += size;

  int32_t headers = 0;
  if (!(p = take_varint(p, end, headers)) || headers < 0 || headers > end - p) return false;
  const uint8_t* first = p;
  for (int32_t i = 0; i < headers; ++i) {
    if (!(p = take_varint(p, end, size)) || size < 0 || size > end - p) return false;
    p += size;
    if (!(p = take_varint(p, end, size)) || size > end - p) return false;
    if (size > 0) p += size;
  }
  out.headers = HeadersView({first, p}, headers);
  return p == end;
}

inline void HeadersView::Iterator::load() {
  if (left_ <= 0) return;
  int32_t size = 0;
  p_ = take_varint(p_, end_, size);
  header_.key = as_text(Bytes(p_, static_cast<size_t>(size)));
  p_ = take_varint(p_ + size, end_, size);
  header_.value.reset();
  if (size >= 0) header_.value.emplace(p_, static_cast<size_t>(size)), p_ += size;
}

}  // namespace moldau
