#include <gtest/gtest.h>
#include <lz4frame.h>

#include "base/endian.h"
#include "record/compressor.h"
#include "record/decompressor.h"
#include "record/testdata/raw_batch.h"

namespace moldau {
namespace {

constexpr Codec kCompressing[] = {Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd};
constexpr size_t kPlenty = 64 << 20;

std::string mixed(size_t size) {  // runs, repeats and noise
  std::string out;
  for (uint32_t seed = 7; out.size() < size;) {
    seed = seed * 1664525 + 1013904223;
    if (seed >> 30 == 0)
      out.append(seed >> 24 & 63, static_cast<char>(seed >> 16));
    else if (seed >> 30 == 1 && out.size() > 1000)
      out.append(out, out.size() - 1000, seed >> 20 & 511);
    else
      out.push_back(static_cast<char>(seed >> 22));
  }
  out.resize(size);
  return out;
}

std::string compress_in_pieces(Compressor& compressor, Codec codec, int level, std::string_view bytes,
                               size_t piece) {
  std::string out = "before";
  compressor.open(codec, level, out);
  for (size_t at = 0; at < bytes.size(); at += piece) compressor.write(as_bytes(bytes.substr(at, piece)));
  compressor.finish();
  EXPECT_TRUE(out.starts_with("before"));
  return out.substr(6);
}

Result<std::string> decompress(Codec codec, std::string_view bytes, size_t at_most = kPlenty) {
  Decompressor decompressor;
  return decompressor.whole(codec, as_bytes(bytes), at_most);
}

TEST(Codec, RoundTripsEverySizeInPieces) {
  Compressor compressor;
  Decompressor decompressor;
  for (const Codec codec : {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    const int level = compression_levels(codec).preset;
    for (const size_t size : {0, 1, 100, 32767, 32768, 32769, 65535, 65536, 65537, 1000000}) {
      const std::string bytes = mixed(size);
      for (const size_t piece : {size_t{1000}, size_t{40000}, kPlenty}) {
        const std::string block = compress_in_pieces(compressor, codec, level, bytes, piece);
        const auto back = decompressor.whole(codec, as_bytes(block), size);
        ASSERT_TRUE(back) << back.error().message;
        EXPECT_TRUE(*back == bytes) << codec_name(codec) << ", " << size << " bytes in pieces of " << piece;
      }
    }
  }
}

TEST(Codec, RoundTripsAtEveryLevel) {
  Compressor compressor;
  const std::string bytes = mixed(200000);
  const std::vector<std::pair<Codec, std::vector<int>>> levels = {
      {Codec::kGzip, {-1, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
      {Codec::kLz4, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}},
      {Codec::kZstd, {-131072, -100, -1, 0, 1, 2, 3, 4, 5, 8, 12, 16, 19, 22}}};
  for (const auto& [codec, all] : levels) {
    for (const int level : all) {
      EXPECT_TRUE(compression_levels(codec).holds(level));
      const std::string block = compress_in_pieces(compressor, codec, level, bytes, 30000);
      EXPECT_TRUE(decompress(codec, block).value() == bytes) << codec_name(codec) << " " << level;
      EXPECT_TRUE(level < 1 || block.size() < bytes.size()) << codec_name(codec) << " " << level;
    }
  }
  EXPECT_FALSE(compression_levels(Codec::kGzip).holds(0));
  EXPECT_FALSE(compression_levels(Codec::kLz4).holds(18));
  EXPECT_FALSE(compression_levels(Codec::kZstd).holds(23));
}

TEST(Codec, MoreEffortGivesLessBytes) {
  Compressor compressor;
  std::string bytes;
  for (int i = 0; i < 10000; ++i)
    bytes += "{\"order\":" + std::to_string(i * 7919) + ",\"state\":\"" + (i % 3 ? "shipped" : "returned") +
             "\"}\n";
  const auto size = [&](Codec codec, int level) {
    return compress_in_pieces(compressor, codec, level, bytes, kPlenty).size();
  };
  EXPECT_LT(size(Codec::kGzip, 9), size(Codec::kGzip, 1));
  EXPECT_LT(size(Codec::kLz4, 17), size(Codec::kLz4, 9));  // 9, Kafka's preset, is the fast compressor
  EXPECT_LT(size(Codec::kZstd, 19), size(Codec::kZstd, 1));
}

TEST(Codec, NoPrefixOfABlockPassesForTheWhole) {
  const std::string bytes = mixed(3000);
  for (const Codec codec : kCompressing) {
    const std::string block = test::compress(codec, bytes);
    for (size_t size = 0; size < block.size(); ++size) {
      const auto part = decompress(codec, std::string_view(block).substr(0, size));
      // Where a framing has no end mark, whole blocks of it are a shorter, valid stream.
      const size_t at_most = codec == Codec::kSnappy ? bytes.size() - 1 : 0;
      EXPECT_TRUE(!part || part->size() <= at_most) << codec_name(codec) << ", the first " << size;
    }
  }
}

TEST(Codec, WholeHoldsItsLimit) {
  const std::string bytes = mixed(100000);
  for (const Codec codec : kCompressing) {
    const std::string block = test::compress(codec, bytes);
    EXPECT_EQ(decompress(codec, block, bytes.size() - 1).error().code, ErrorCode::kInvalidRecord);
    EXPECT_EQ(decompress(codec, block, bytes.size()).value().size(), bytes.size());
    EXPECT_EQ(decompress(codec, "none of it").error().code, ErrorCode::kUnknownServerError);
  }
  EXPECT_FALSE(decompress(static_cast<Codec>(5), "x"));
}

TEST(Codec, Names) {
  for (const Codec codec : {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd})
    EXPECT_EQ(parse_codec(codec_name(codec)), codec);
  EXPECT_EQ(parse_codec("uncompressed"), Codec::kNone);
  EXPECT_EQ(parse_codec("producer"), std::nullopt);
}

// ---- what clients of other languages write

const std::string kSnappyHeader("\x82SNAPPY\0\0\0\0\1\0\0\0\1", 16);

std::string big_endian_32(uint32_t v) {
  std::string out(4, '\0');
  store_be(reinterpret_cast<uint8_t*>(out.data()), v);
  return out;
}

std::string raw_snappy(std::string_view bytes) {  // one literal of at most 60 bytes
  return std::string{static_cast<char>(bytes.size()), static_cast<char>((bytes.size() - 1) << 2)} +
         std::string(bytes);
}
std::string snappy_block(std::string_view bytes) {
  const std::string raw = raw_snappy(bytes);
  return big_endian_32(static_cast<uint32_t>(raw.size())) + raw;
}

TEST(Snappy, RawAndFramed) {
  EXPECT_EQ(decompress(Codec::kSnappy, raw_snappy("raw")).value(), "raw");
  EXPECT_EQ(decompress(Codec::kSnappy, kSnappyHeader).value(), "");
  EXPECT_EQ(decompress(Codec::kSnappy, kSnappyHeader + snappy_block("a") + snappy_block("bc")).value(),
            "abc");
  EXPECT_EQ(decompress(Codec::kSnappy, kSnappyHeader + snappy_block("a") + kSnappyHeader + snappy_block("b"))
                .value(),
            "ab");
  EXPECT_EQ(decompress(Codec::kSnappy, kSnappyHeader + snappy_block("a") + "xyz").value(), "a");
  EXPECT_TRUE(test::compress(Codec::kSnappy, "x").starts_with(kSnappyHeader));
}

TEST(Snappy, RefusesWhatDoesNotFit) {
  for (const std::string& block :
       {std::string(), kSnappyHeader + big_endian_32(0), kSnappyHeader + big_endian_32(9) + raw_snappy("abc"),
        kSnappyHeader + big_endian_32(0xffffffff) + raw_snappy("abc"),
        kSnappyHeader + snappy_block("a") + "wxyz",
        kSnappyHeader.substr(0, 11) + std::string(5, '\0') + snappy_block("a"),  // version 0
        std::string("\xff\xff\xff\xff\x0f\x08"
                    "abc")})  // claims 4 GiB
    EXPECT_EQ(decompress(Codec::kSnappy, block).error().code, ErrorCode::kUnknownServerError);
}

// An lz4 frame with the given flags and one stored block.
std::string lz4_frame(uint8_t flags, std::string_view extra_header, uint8_t header_checksum,
                      std::string_view tail) {
  std::string frame = "\x04\x22\x4d\x18";
  frame += static_cast<char>(flags);
  frame += '\x40';
  frame += extra_header;
  frame += static_cast<char>(header_checksum);
  frame += std::string(
               "\3\0\0\x80"
               "abc",
               7) +
           std::string(4, '\0');
  return frame + std::string(tail);
}

// The lenience of Kafka's own reader, and its limits.
TEST(Lz4, FramesThatKafkaTakesAndOthers) {
  EXPECT_EQ(decompress(Codec::kLz4, lz4_frame(0x60, "", 0x82, "")).value(), "abc");
  EXPECT_EQ(decompress(Codec::kLz4, lz4_frame(0x60, "", 0x82, "junk")).value(), "abc");
  EXPECT_EQ(decompress(Codec::kLz4, lz4_frame(0x64, "", 0xa7, "\1\2\3\4")).value(), "abc")
      << "content checksum";
  const std::string nine("\x09\0\0\0\0\0\0\0", 8);
  EXPECT_EQ(decompress(Codec::kLz4, lz4_frame(0x68, nine, 0x6d, "")).value(), "abc") << "content size";
  EXPECT_FALSE(decompress(Codec::kLz4, lz4_frame(0x60, "", 0x83, ""))) << "header checksum";
  EXPECT_FALSE(decompress(Codec::kLz4, lz4_frame(0x40, "", 0xc0, ""))) << "dependent blocks";
  EXPECT_FALSE(decompress(Codec::kLz4, lz4_frame(0x20, "", 0x82, ""))) << "version 0";
  EXPECT_FALSE(decompress(Codec::kLz4, lz4_frame(0x61, "\1\2\3\4", 0x82, ""))) << "dictionary";
  const std::string unended = lz4_frame(0x60, "", 0x82, "");
  EXPECT_FALSE(decompress(Codec::kLz4, unended.substr(0, unended.size() - 4))) << "no end mark";
}

TEST(Lz4, EveryHeaderWithContentFlags) {
  const std::string bytes = mixed(300000);
  for (const int size_code : {4, 5, 6, 7}) {
    for (const int flags : {0, 1, 2, 3, 4, 5, 6, 7}) {  // block checksums, content checksum, content size
      LZ4F_preferences_t p = {};
      p.frameInfo.blockSizeID = static_cast<LZ4F_blockSizeID_t>(size_code);
      p.frameInfo.blockMode = LZ4F_blockIndependent;
      p.frameInfo.blockChecksumFlag = flags & 1 ? LZ4F_blockChecksumEnabled : LZ4F_noBlockChecksum;
      p.frameInfo.contentChecksumFlag = flags & 2 ? LZ4F_contentChecksumEnabled : LZ4F_noContentChecksum;
      p.frameInfo.contentSize = flags & 4 ? bytes.size() : 0;
      std::string frame(LZ4F_compressFrameBound(bytes.size(), &p), '\0');
      frame.resize(LZ4F_compressFrame(frame.data(), frame.size(), bytes.data(), bytes.size(), &p));
      EXPECT_TRUE(decompress(Codec::kLz4, frame).value() == bytes) << size_code << " " << flags;
      if (flags & 2) {
        frame.back() ^= 1;
        EXPECT_TRUE(decompress(Codec::kLz4, frame).value() == bytes) << "content checksum";
      }
      if (flags & 1) {
        frame[frame.size() - (flags & 2 ? 9 : 5)] ^= 1;
        EXPECT_FALSE(decompress(Codec::kLz4, frame)) << "block checksum";
      }
      frame[5] ^= 0x10;
      EXPECT_FALSE(decompress(Codec::kLz4, frame)) << "header checksum";
    }
  }
}

TEST(Gzip, MembersAndWhatFollowsThem) {
  const std::string a = test::compress(Codec::kGzip, "a"), b = test::compress(Codec::kGzip, mixed(100000));
  EXPECT_EQ(decompress(Codec::kGzip, a + b + a).value().size(), 100002u);
  EXPECT_EQ(decompress(Codec::kGzip, a + "junk that is long enough for a header").value(), "a");
  std::string damaged = b;
  damaged[damaged.size() - 6] ^= 1;
  EXPECT_FALSE(decompress(Codec::kGzip, damaged)) << "checksum";
  damaged = b;
  damaged.back() ^= 1;
  EXPECT_FALSE(decompress(Codec::kGzip, damaged)) << "size";
}

TEST(Zstd, FramesOneAfterAnother) {
  const std::string a = test::compress(Codec::kZstd, "a"), b = test::compress(Codec::kZstd, mixed(100000));
  EXPECT_EQ(decompress(Codec::kZstd, a + b + a).value().size(), 100002u);
  EXPECT_EQ(decompress(Codec::kZstd, "").value(), "");
  EXPECT_FALSE(decompress(Codec::kZstd, a + "j"));
}

}  // namespace
}  // namespace moldau
