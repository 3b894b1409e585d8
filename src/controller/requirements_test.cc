// Every requirement has a test that is named after it. What takes brokers that replicate is open: a test that is
// skipped with what it waits for, and that tools/run_tests.py counts and names.
#include <gtest/gtest.h>

#include "controller/testdata/requirements.h"

namespace moldau {
namespace {

TEST(Requirements, each_has_a_test_named_after_it) {
  const auto tests = test::tests_by_requirement(MOLDAU_TESTDATA "/../../..");
  for (const test::Requirement& r : test::kRequirements)
    EXPECT_TRUE(tests.contains(r.id) || *r.open) << "S" << r.id << ": " << r.what;
}

class OpenRequirement : public testing::TestWithParam<test::Requirement> {};

TEST_P(OpenRequirement, with_brokers) {
  GTEST_SKIP() << "open until there is a cluster: " << GetParam().open;
}

std::vector<test::Requirement> open_ones() {
  std::vector<test::Requirement> open;
  for (const test::Requirement& r : test::kRequirements)
    if (*r.open) open.push_back(r);
  return open;
}

INSTANTIATE_TEST_SUITE_P(All, OpenRequirement, testing::ValuesIn(open_ones()),
                         [](const auto& info) { return "S" + std::to_string(info.param.id); });

}  // namespace
}  // namespace moldau
