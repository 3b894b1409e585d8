#include "base/uuid.h"

#include <gtest/gtest.h>

namespace moldau {

TEST(Uuid, ShowsAndParsesAsKafkaDoes) {
  EXPECT_EQ((Uuid{0, 0}).text(), "AAAAAAAAAAAAAAAAAAAAAA");
  EXPECT_EQ((Uuid{0, 1}).text(), "AAAAAAAAAAAAAAAAAAAAAQ");
  const auto id = Uuid::parse("MkU3OEVBNTcwNTJENDM2Qk");
  ASSERT_TRUE(id.has_value()) << "bits beyond the 16th byte are ignored";
  EXPECT_EQ(id->text(), "MkU3OEVBNTcwNTJENDM2Qg");
  EXPECT_EQ(Uuid::parse("MkU3OEVBNTcwNTJENDM2Qg=="), id);
  EXPECT_FALSE(Uuid::parse("short"));
  EXPECT_FALSE(Uuid::parse("MkU3OEVBNTcwNTJENDM2Q!"));
}

TEST(Uuid, RandomOnesAreVersion4AndNeverLookLikeAnOption) {
  for (uint64_t bits = 0; bits < 4096; ++bits) {
    const uint64_t high = bits << 52;
    const auto id = Uuid::from_random_bits(high, bits);
    if (!id) continue;
    EXPECT_EQ((id->high >> 12) & 15, 4u);
    EXPECT_EQ(id->low >> 62, 2u);
    EXPECT_NE(id->text().front(), '-');
  }
}

}  // namespace moldau
