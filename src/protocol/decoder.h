// Decoder: a Reader that knows Kafka's variable-length types (KIP-482 has the compact ones) and refuses what would cost
// more memory than it is worth. Like a Reader it fails for good at the first wrong value; the caller asks once.
//
//                 classic                     compact (flexible versions)
//   string        int16 length, -1 null       uvarint length + 1, 0 null
//   bytes         int32 length, -1 null       uvarint length + 1, 0 null
//   array         int32 count,  -1 null       uvarint count + 1,  0 null
//   struct        as it is; nullable: int8 -1 null, 1 present
//   tagged part   none                        uvarint count, then uvarint tag, uvarint size, value each
//
// As Kafka does, any negative length reads as null, any other byte than 0 as true, and tags may come in any order.
//
// Limits
//   L1  a length or count needs its bytes in the input: count * least bytes of an element <= what remains
//   L2  a string has at most 32767 bytes, an array at most 1,000,000 elements, a tagged part at most 10,000 fields
//   L3  everything allocated while decoding is at most 64 x input + 1 MiB
//   L4  a known tag occurs once, and its value has exactly the size that it says
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "base/reader.h"
#include "protocol/records.h"

namespace moldau::protocol {

inline constexpr size_t kMaxStringBytes = 32767;
inline constexpr size_t kMaxArrayElements = 1'000'000;
inline constexpr size_t kMaxTags = 10'000;
inline constexpr size_t kAllocationPerByte = 64;
inline constexpr size_t kAllocationAllowance = size_t{1} << 20;

class Decoder : public Reader {
 public:
  static constexpr int64_t kNull = -1;

  explicit Decoder(Bytes input)
      : Reader(input), budget_(input.size() * kAllocationPerByte + kAllocationAllowance) {}

  // Fails with a reason; without one the input ended early or a varint was malformed.
  void refuse(const char* why) {
    if (ok()) why_ = why;
    set_failed();
  }
  const char* why() const { return why_ ? why_ : "the input ends early, or a varint is malformed"; }

  // A length or count; kNull only if `nullable`. Zero after a failure.
  int64_t length16(bool compact, bool nullable) {
    return checked(compact ? compact_length() : i16(), nullable);
  }
  int64_t length32(bool compact, bool nullable) {
    return checked(compact ? compact_length() : i32(), nullable);
  }

  std::string_view string(bool compact) { return take_string(length16(compact, false)); }
  void string(bool compact, bool nullable, std::optional<std::string_view>& out) {
    const int64_t n = length16(compact, nullable);
    if (n == kNull)
      out.reset();
    else
      out = take_string(n);
  }
  Bytes bytes_field(bool compact) { return bytes(static_cast<size_t>(length32(compact, false))); }
  void bytes_field(bool compact, bool nullable, std::optional<Bytes>& out) {
    const int64_t n = length32(compact, nullable);
    if (n == kNull)
      out.reset();
    else
      out = bytes(static_cast<size_t>(n));
  }
  Records records(bool compact) { return take_records(length32(compact, false)); }
  void records(bool compact, bool nullable, std::optional<Records>& out) {
    const int64_t n = length32(compact, nullable);
    if (n == kNull)
      out.reset();
    else
      out = take_records(n);
  }

  // The count of an array whose elements have `least_bytes` at least in the input and `element_size` in memory.
  int64_t array_length(bool compact, bool nullable, size_t least_bytes, size_t element_size) {
    const int64_t n = length32(compact, nullable);
    return n > 0 && !affordable(static_cast<size_t>(n), least_bytes, element_size) ? 0 : n;
  }
  // An array of numbers, uuids or strings.
  template <class T>
  void array(bool compact, std::vector<T>& out) {
    fill(array_length(compact, false, kLeast<T>, sizeof(T)), compact, out);
  }
  template <class T>
  void array(bool compact, bool nullable, std::optional<std::vector<T>>& out) {
    const int64_t n = array_length(compact, nullable, kLeast<T>, sizeof(T));
    if (n == kNull)
      out.reset();
    else
      fill(n, compact, out.emplace());
  }
  // Makes room for an array of structs and calls decode_one(element) for each.
  template <class T, class F>
  void structs(bool compact, size_t least_bytes, std::vector<T>& out, F&& decode_one) {
    fill_structs(array_length(compact, false, least_bytes, sizeof(T)), out, decode_one);
  }
  template <class T, class F>
  void structs(bool compact, bool nullable, size_t least_bytes, std::optional<std::vector<T>>& out,
               F&& decode_one) {
    const int64_t n = array_length(compact, nullable, least_bytes, sizeof(T));
    if (n == kNull)
      out.reset();
    else
      fill_structs(n, out.emplace(), decode_one);
  }

  // Whether a nullable struct is there: false is null, or a failure.
  bool struct_follows() { return i8() >= 0 && ok(); }

  // The tagged part: calls known(tag) for each field, which decodes the value and returns true, or returns false: skipped.
  template <class F>
  void tagged_part(F&& known) {
    const uint32_t count = uvarint();
    if (count > kMaxTags) return refuse("more than 10,000 tagged fields");
    uint64_t seen = 0;
    for (uint32_t i = 0; i < count && ok(); ++i) {
      const uint32_t tag = uvarint();
      const uint32_t size = uvarint();
      if (size > remaining()) return refuse("a tagged field is longer than the input");
      if (tag < 64 && (seen >> tag & 1)) return refuse("a tag occurs twice");
      if (tag < 64) seen |= uint64_t{1} << tag;
      const uint8_t* stop = cursor() + size;
      if (!known(tag))
        skip(size);
      else if (ok() && cursor() != stop)
        return refuse("a tagged field's value differs from its size");
    }
  }
  void skip_tagged_part() {
    tagged_part([](uint32_t) { return false; });
  }

 private:
  template <class T>
  static constexpr size_t kLeast = sizeof(T);

  int64_t compact_length() { return int64_t{static_cast<int32_t>(uvarint())} - 1; }
  int64_t checked(int64_t n, bool nullable) {
    if (!ok()) [[unlikely]]
      return 0;
    if (n >= 0) [[likely]]
      return n;
    if (nullable) return kNull;
    return refuse("null where this version allows none"), 0;
  }
  std::string_view take_string(int64_t n) {
    if (n > static_cast<int64_t>(kMaxStringBytes))
      return refuse("a string of more than 32767 bytes"), std::string_view{};
    return text(static_cast<size_t>(n));
  }
  Records take_records(int64_t n) {
    const size_t at = position();
    return Records::at(bytes(static_cast<size_t>(n)), at);
  }
  bool affordable(size_t count, size_t least_bytes, size_t element_size);
  template <class T>
  void fill(int64_t n, bool compact, std::vector<T>& out);
  template <class T, class F>
  void fill_structs(int64_t n, std::vector<T>& out, F&& decode_one) {
    out.resize(static_cast<size_t>(n));
    for (T& element : out) {
      decode_one(element);
      if (!ok()) [[unlikely]]
        return;
    }
  }

  size_t budget_;
  const char* why_ = nullptr;
};

template <>
inline constexpr size_t Decoder::kLeast<std::string_view> = 1;

template <class T>
void Decoder::fill(int64_t n, bool compact, std::vector<T>& out) {
  out.resize(static_cast<size_t>(n));
  for (T& v : out) {
    if constexpr (std::is_same_v<T, std::string_view>)
      v = string(compact);
    else if constexpr (std::is_same_v<T, Uuid>)
      v = uuid();
    else if constexpr (sizeof(T) == 1)
      v = static_cast<T>(i8());
    else if constexpr (sizeof(T) == 2)
      v = static_cast<T>(i16());
    else if constexpr (sizeof(T) == 4)
      v = static_cast<T>(i32());
    else
      v = static_cast<T>(i64());
  }
}

}  // namespace moldau::protocol
