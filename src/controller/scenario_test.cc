// The stories in testdata/*.txt. MOLDAU_REWRITE=1 writes what comes out into the files instead of comparing: commit such a
// change only when it is understood.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "controller/testdata/admin_scenario.h"

namespace moldau {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Runs the commands of a story; what stands between `----` and an empty line is their output.
std::string play(const std::string& story) {
  test::AdminScenario scenario;
  std::string out, pending;
  bool in_output = false;
  const auto flush = [&] {
    if (!pending.empty()) out += "----\n" + std::exchange(pending, {}) + "\n";
  };
  std::istringstream lines(story);
  for (std::string line; std::getline(lines, line);) {
    if (line == "----") in_output = true;
    if (line.empty()) flush(), in_output = false;
    if (in_output || line.empty()) continue;
    out += line + "\n";
    if (line.starts_with("#")) continue;
    pending += scenario.run(line);
    if (pending.empty()) pending = "(nothing)\n";
  }
  flush();
  return out;
}

class ScenarioTest : public testing::TestWithParam<std::string> {};

TEST_P(ScenarioTest, is_as_it_is_told) {
  const std::filesystem::path path = std::filesystem::path(MOLDAU_TESTDATA) / (GetParam() + ".txt");
  const std::string story = read(path);
  ASSERT_FALSE(story.empty()) << path;
  const std::string played = play(story);
  if (std::getenv("MOLDAU_REWRITE"))
    std::ofstream(path) << played;
  else
    EXPECT_EQ(played, story) << "run with MOLDAU_REWRITE=1 to accept it";
}

std::vector<std::string> stories() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(MOLDAU_TESTDATA))
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Stories, ScenarioTest, testing::ValuesIn(stories()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace moldau
