#include "log/cleaner/offset_map.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace moldau {
namespace {

constexpr HashSecret kSecret{1, 2};

TEST(KeyHash, IsSipHash) {  // the vectors of its authors: key 00 01 … 0f, inputs of 0 and 1 bytes
  const HashSecret secret{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  EXPECT_EQ(hash_key({}, secret), (KeyHash{0xe6a825ba047f81a3, 0x930255c71472f66d}));
  const uint8_t zero[] = {0};
  EXPECT_EQ(hash_key(zero, secret), (KeyHash{0x44af996bd8c187da, 0x45fc229b11597634}));
  EXPECT_NE(hash_key({}, secret), hash_key({}, kSecret));
}

TEST(OffsetMap, AgreesWithAMap) {
  OffsetMap map({}, 5000, kSecret);
  std::map<std::string, int64_t> reference;
  for (int64_t i = 0; i < 20000; ++i) {
    const std::string key = "k" + std::to_string(i * 7919 % 5000);
    ASSERT_TRUE(map.put(as_bytes(key), Offset(i)));
    reference[key] = i;
  }
  EXPECT_EQ(map.size(), 5000);
  for (const auto& [key, offset] : reference) EXPECT_EQ(map.find(as_bytes(key)), Offset(offset));
  EXPECT_FALSE(map.find(as_bytes("another")));
}

TEST(OffsetMap, IsAsLargeAsItsLimitsOrItsKeysAsk) {
  EXPECT_EQ(OffsetMap({.bytes = 24 * 1000, .load_factor = 0.9}, 1 << 30, kSecret).capacity(), 900);
  EXPECT_EQ(OffsetMap({.bytes = 24 * 1000, .load_factor = 0.9}, 1 << 30, kSecret).bytes(), 24000);
  const OffsetMap few({}, 90, kSecret);
  EXPECT_GE(few.capacity(), 90);
  EXPECT_LT(few.bytes(), 24 * 110);
  for (const int64_t bytes : {int64_t{-1}, int64_t{0}, int64_t{24}})
    EXPECT_GE(OffsetMap({.bytes = bytes, .load_factor = 5}, 0, kSecret).capacity(), 1);
}

TEST(OffsetMap, FullItTakesKnownKeysOnly) {
  OffsetMap map({.bytes = 24 * 10, .load_factor = 0.5}, 1000, kSecret);
  const auto key = [](int i) { return std::to_string(i); };
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(map.put(as_bytes(key(i)), Offset(i)));
  EXPECT_FALSE(map.put(as_bytes(key(5)), Offset(5)));
  EXPECT_FALSE(map.find(as_bytes(key(5))));
  EXPECT_TRUE(map.put(as_bytes(key(2)), Offset(6)));
  EXPECT_EQ(map.find(as_bytes(key(2))), Offset(6));
  EXPECT_EQ(map.size(), 5);
}

}  // namespace
}  // namespace moldau
