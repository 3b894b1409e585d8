#include "log/cleaner/key_hash.h"

#include <bit>
#include <cstring>

namespace moldau {
namespace {

uint64_t load_le64(const uint8_t* p) {
  static_assert(std::endian::native == std::endian::little);
  uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

struct SipState {
  uint64_t a, b, c, d;

  void round() {
    a += b, b = std::rotl(b, 13) ^ a, a = std::rotl(a, 32);
    c += d, d = std::rotl(d, 16) ^ c;
    a += d, d = std::rotl(d, 21) ^ a;
    c += b, b = std::rotl(b, 17) ^ c, c = std::rotl(c, 32);
  }
  void absorb(uint64_t word) {
    d ^= word;
    round(), round();
    a ^= word;
  }
  uint64_t squeeze() {
    round(), round(), round(), round();
    return a ^ b ^ c ^ d;
  }
};

}  // namespace

KeyHash hash_key(Bytes key, const HashSecret& secret) {
  SipState s{secret.low ^ 0x736f6d6570736575, secret.high ^ 0x646f72616e646f6d,
             secret.low ^ 0x6c7967656e657261, secret.high ^ 0x7465646279746573};
  s.b ^= 0xee;
  const size_t whole = key.size() / 8 * 8;
  for (size_t at = 0; at < whole; at += 8) s.absorb(load_le64(key.data() + at));
  uint64_t last = uint64_t{key.size()} << 56;
  for (size_t i = whole; i < key.size(); ++i) last |= uint64_t{key[i]} << (8 * (i - whole));
  s.absorb(last);
  s.c ^= 0xee;
  const uint64_t low = s.squeeze();
  s.b ^= 0xdd;
  return {low, s.squeeze()};
}

}  // namespace moldau
