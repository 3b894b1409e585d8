// Encoder: writes Kafka's types into one growing block (see decoder.h for their forms) and notes where records that
// are elsewhere belong. A string that has no encoding (over 32767 bytes) is cut and makes ok() false: what was written
// is still well-formed, and the caller decides whether it leaves.
#pragma once
#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "base/endian.h"
#include "base/uuid.h"
#include "base/varint.h"
#include "protocol/records.h"

namespace moldau::protocol {

struct Encoded {
  Buffer bytes;
  std::vector<Splice> splices;  // by position, ascending
  // What the receiver gets, the spliced bytes included.
  size_t size() const;
};

class Encoder {
 public:
  explicit Encoder(size_t expected_size = 512);

  bool ok() const { return ok_; }
  size_t position() const { return static_cast<size_t>(p_ - begin_); }  // without the spliced bytes
  Bytes view() const { return {begin_, position()}; }
  std::span<const Splice> splices() const { return splices_; }
  size_t total_size() const { return position() + spliced_; }
  Encoded take();  // leaves the encoder empty

  void i8(int8_t v) { fixed(v); }
  void i16(int16_t v) { fixed(v); }
  void u16(uint16_t v) { fixed(v); }
  void i32(int32_t v) { fixed(v); }
  void u32(uint32_t v) { fixed(v); }
  void i64(int64_t v) { fixed(v); }
  void f64(double v) { fixed(std::bit_cast<uint64_t>(v)); }
  void boolean(bool v) { fixed(static_cast<int8_t>(v)); }
  void uuid(const Uuid& v) { fixed(v.high), fixed(v.low); }
  void uvarint(uint32_t v) {
    make_room(kMaxVarint32);
    p_ = put_uvarint(p_, v);
  }
  void raw(Bytes v) {
    make_room(v.size());
    if (!v.empty()) std::memcpy(p_, v.data(), v.size());
    p_ += v.size();
  }

  void length16(bool compact, size_t n) {
    compact ? uvarint(static_cast<uint32_t>(n + 1)) : i16(static_cast<int16_t>(n));
  }
  void length32(bool compact, size_t n) {
    compact ? uvarint(static_cast<uint32_t>(n + 1)) : i32(static_cast<int32_t>(n));
  }
  void null16(bool compact) { compact ? uvarint(0) : i16(-1); }
  void null32(bool compact) { compact ? uvarint(0) : i32(-1); }

  void string(bool compact, std::string_view v) {
    if (v.size() > kLongestString) [[unlikely]]
      ok_ = false, v = v.substr(0, kLongestString);
    length16(compact, v.size());
    raw(as_bytes(v));
  }
  void bytes_field(bool compact, Bytes v) {
    length32(compact, v.size());
    raw(v);
  }
  void records(bool compact, const Records& v) {
    length32(compact, v.size());
    if (v.is_external())
      splice(v);
    else
      raw(v.bytes());
  }
  // A null where the version has none is written as an empty value; check_encodable finds such.
  void string(bool compact, bool nullable, const std::optional<std::string_view>& v) {
    if (!v && nullable)
      null16(compact);
    else
      string(compact, v.value_or(std::string_view{}));
  }
  void bytes_field(bool compact, bool nullable, const std::optional<Bytes>& v) {
    if (!v && nullable)
      null32(compact);
    else
      bytes_field(compact, v.value_or(Bytes{}));
  }
  void records(bool compact, bool nullable, const std::optional<Records>& v) {
    if (!v && nullable)
      null32(compact);
    else
      records(compact, v.value_or(Records{}));
  }

  // An array of numbers, uuids or strings.
  template <class T>
  void array(bool compact, const std::vector<T>& v) {
    length32(compact, v.size());
    if constexpr (std::is_same_v<T, std::string_view>)
      for (std::string_view s : v) string(compact, s);
    else if constexpr (std::is_same_v<T, Uuid>)
      for (const Uuid& u : v) uuid(u);
    else
      for (T n : v) fixed(n);
  }
  template <class T>
  void array(bool compact, bool nullable, const std::optional<std::vector<T>>& v) {
    if (v)
      array(compact, *v);
    else if (nullable)
      null32(compact);
    else
      length32(compact, 0);
  }
  template <class T, class F>
  void structs(bool compact, const std::vector<T>& v, F&& encode_one) {
    length32(compact, v.size());
    for (const T& element : v) encode_one(element);
  }
  template <class T, class F>
  void structs(bool compact, bool nullable, const std::optional<std::vector<T>>& v, F&& encode_one) {
    if (v)
      structs(compact, *v, encode_one);
    else if (nullable)
      null32(compact);
    else
      length32(compact, 0);
  }

  // A tagged field: the tag, then whatever write() writes, with its size in front. It may hold no external records.
  template <class F>
  void tagged(uint32_t tag, F&& write) {
    uvarint(tag);
    const size_t at = position();
    write();
    insert_size(at);
  }

  // Overwrites 4 bytes that were written earlier.
  void patch_i32(size_t at, int32_t v) { store_be(begin_ + at, v); }

 private:
  static constexpr size_t kLongestString = 32767;

  template <class T>
  void fixed(T v) {
    make_room(sizeof(T));
    store_be(p_, v);
    p_ += sizeof(T);
  }
  void make_room(size_t n) {
    if (static_cast<size_t>(end_ - p_) < n) [[unlikely]]
      grow(n);
  }
  void grow(size_t n);
  void splice(const Records& v);
  void insert_size(size_t at);

  Buffer block_;
  uint8_t* begin_;
  uint8_t* p_;
  uint8_t* end_;
  std::vector<Splice> splices_;
  size_t spliced_ = 0;
  bool ok_ = true;
};

}  // namespace moldau::protocol
