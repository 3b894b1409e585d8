// For tests: stories, files of commands and of what they print. A scenario's run(command) gives the output of one.
//
// What stands between `----` and an empty line is the output of the commands before it. MOLDAU_REWRITE=1 writes what comes out
// into the files instead of comparing: commit such a change only when it is understood.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace moldau::test {

template <class Scenario>
std::string play(const std::string& story) {
  Scenario scenario;
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

template <class Scenario>
void check_story(const std::filesystem::path& path) {
  std::ifstream in(path);
  const std::string story(std::istreambuf_iterator<char>(in), {});
  ASSERT_FALSE(story.empty()) << path;
  const std::string played = play<Scenario>(story);
  if (std::getenv("MOLDAU_REWRITE"))
    std::ofstream(path) << played;
  else
    EXPECT_EQ(played, story) << "run with MOLDAU_REWRITE=1 to accept it";
}

// The names of the folder's stories, NAME.txt, sorted.
inline std::vector<std::string> stories(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace moldau::test
