#include "net/frame_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/endian.h"

namespace moldau::net {
namespace {

std::string framed(size_t size, char fill) {
  std::string out(4 + size, fill);
  store_be<int32_t>(reinterpret_cast<uint8_t*>(out.data()), static_cast<int32_t>(size));
  return out;
}

// Feeds `stream` in pieces of at most `most` bytes and gives back the frames.
std::vector<std::string> feed(FrameReader& reader, std::string_view stream, std::mt19937_64& random,
                              size_t most) {
  std::vector<std::string> frames;
  while (!stream.empty() && !reader.bad_length()) {
    size_t want = std::min<size_t>(1 + random() % most, stream.size()), given = 0;
    for (MutableBytes part : reader.space()) {
      const size_t n = std::min(part.size(), want - given);
      std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(given), n, part.begin());
      given += n;
    }
    stream.remove_prefix(given);
    reader.received(given);
    while (auto frame = reader.next()) frames.emplace_back(as_text(*frame));
  }
  return frames;
}

TEST(FrameReader, CutsTheSameFramesHoweverTheBytesArrive) {
  std::mt19937_64 random(3);
  for (const size_t most : {size_t{1}, size_t{7}, size_t{5'000}, size_t{1} << 20}) {
    ChunkPool pool;
    FrameReader reader(pool, 8 << 20);
    std::string stream;
    std::vector<std::string> sent;
    const size_t frames = most == 1 ? 20 : 200;
    for (size_t i = 0; i < frames; ++i) {
      const size_t size = most == 1           ? random() % 50
                          : random() % 5 == 0 ? random() % (3 << 20)
                                              : random() % 20'000;
      stream += framed(size, static_cast<char>('a' + i % 26));
      sent.push_back(stream.substr(stream.size() - size));
    }
    EXPECT_EQ(feed(reader, stream, random, most), sent) << most;
    EXPECT_EQ(reader.held(), 0u);
  }
}

TEST(FrameReader, AnAnnouncedLengthCostsNothingUntilItIsSent) {
  std::mt19937_64 random(1);
  ChunkPool pool;
  FrameReader reader(pool, 100 << 20);
  EXPECT_TRUE(feed(reader, framed(100 << 20, 'x').substr(0, 10), random, 10).empty());
  EXPECT_EQ(reader.held(), 6u);
}

TEST(FrameReader, RefusesNegativeAndHugeLengths) {
  std::mt19937_64 random(1);
  for (const int32_t length : {-1, INT32_MIN, INT32_MAX, 1001}) {
    ChunkPool pool;
    FrameReader reader(pool, 1000);
    std::string bytes(4, '\0');
    store_be<int32_t>(reinterpret_cast<uint8_t*>(bytes.data()), length);
    EXPECT_TRUE(feed(reader, framed(3, 'x') + bytes, random, 100).size() == 1);
    EXPECT_EQ(reader.bad_length(), length);
  }
}

TEST(FrameReader, AWholeFrameIsAWindowIntoTheChunk) {
  ChunkPool pool;
  FrameReader reader(pool, 1000);
  const std::string bytes = framed(10, 'x');
  uint8_t* at = reader.space()[0].data();
  std::copy(bytes.begin(), bytes.end(), at);
  reader.received(bytes.size());
  const auto frame = reader.next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->data(), at + 4);
}

}  // namespace
}  // namespace moldau::net
