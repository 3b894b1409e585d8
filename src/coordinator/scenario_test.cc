// The stories in testdata/*.txt.
#include "coordinator/testdata/scenario.h"
#include "base/testdata/stories.h"

namespace moldau {
namespace {

class ScenarioTest : public testing::TestWithParam<std::string> {};

TEST_P(ScenarioTest, is_as_it_is_told) {
  test::check_story<test::GroupScenario>(std::filesystem::path(MOLDAU_TESTDATA) / (GetParam() + ".txt"));
}

INSTANTIATE_TEST_SUITE_P(Stories, ScenarioTest, testing::ValuesIn(test::stories(MOLDAU_TESTDATA)),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace moldau
