// Random histories, and what Apache Kafka 4.4.0's controller did in each step: the same records and the same codes, wherever
// it doesn't decide by chance. tests/kafka/record_controller_histories.py makes them; MOLDAU_HISTORIES=FILE plays others.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <regex>

#include "controller/testdata/scenario.h"

namespace moldau {
namespace {

using Lines = std::vector<std::string>;

// Records, and of an answer its code: the words are ours.
Lines essence(const std::string& text) {
  static const std::regex code("=> .*?\\b([A-Z][A-Z_]{3,})\\b.*");
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::smatch found;
    if (line == "(nothing)" || line.starts_with("=> epoch")) continue;
    lines.push_back(std::regex_match(line, found, code) ? "=> " + found[1].str() : line);
  }
  std::ranges::sort(lines);  // Kafka goes through its hash maps
  return lines;
}

Lines without_eligible(Lines lines) {
  static const std::regex eligible(" elr=[0-9a-z,]*");
  for (std::string& line : lines) line = std::regex_replace(line, eligible, "");
  return lines;
}

// An election from the eligible leaders that completes a reassignment, without that.
Lines without_completion(Lines lines) {
  static const std::regex parts(" (replicas|directories)=[-0-9,]*| (removing|adding)=none");
  for (std::string& line : lines)
    if (line.find(" elr=") != line.npos) line = std::regex_replace(line, parts, "");
  return lines;
}

std::string joined(const Lines& lines) {
  std::string s;
  for (const std::string& line : lines) s += "    " + line + "\n";
  return s.empty() ? "    (nothing)\n" : s;
}

class History {
 public:
  // False: something differs, or Kafka fails: what follows says nothing.
  bool step(const std::string& command, const Lines& kafka) {
    said_ += command + "\n";
    for (const std::string& line : kafka)
      if (line.starts_with("fails:") || line == "=> UNKNOWN_SERVER_ERROR") return false;
    if (command.starts_with("register")) scenario_.run("wait 10 unwatched");
    const bool replaces = command.starts_with("reassign") && is_reassigning(command);
    const Lines ours = essence(scenario_.run(command));
    const Lines theirs = essence([&] {
      std::string text;
      for (const std::string& line : kafka) text += line + "\n";
      return text;
    }());
    ++steps;
    // Kafka keeps the id of an eligible leader that was reassigned away; should it come back, it counts as eligible,
    // although its log is gone. What differs from here on says nothing.
    if (ours != theirs && without_eligible(ours) == without_eligible(theirs)) return false;
    // Kafka doesn't complete it then, and maybe never.
    if (ours != theirs &&
        without_eligible(without_completion(ours)) == without_eligible(without_completion(theirs)))
      return false;
    // Where a target takes back what an earlier one added, or wants what it removes, Kafka never completes.
    if (ours != theirs && (replaces || takes_back_ || is_taking_back())) return false;
    takes_back_ = is_taking_back();
    if (ours == theirs || (!kafka.empty() && kafka[0] == "=> no such partition")) return true;
    ADD_FAILURE() << "after\n" << said_ << "  Kafka:\n" << joined(theirs) << "  ours:\n" << joined(ours);
    return false;
  }
  static inline int64_t steps = 0;

 private:
  bool is_reassigning(const std::string& command) {
    std::istringstream words(command);
    std::string word, partition;
    words >> word >> partition;
    return !scenario_.run("list " + partition).empty();
  }
  // Whether a replica is being added and removed.
  bool is_taking_back() {
    static const std::regex lists("adding=([-0-9,]*).* removing=([-0-9,]*)");
    std::istringstream in(scenario_.run("list"));
    for (std::string line; std::getline(in, line);) {
      std::smatch found;
      if (!std::regex_search(line, found, lists)) continue;
      std::istringstream adding(found[1].str());
      for (std::string id; std::getline(adding, id, ',');)
        if (("," + found[2].str() + ",").find("," + id + ",") != std::string::npos) return true;
    }
    return false;
  }

  test::Scenario scenario_;
  bool takes_back_ = false;
  std::string said_;
};

TEST(KafkaHistories, S17_records_and_codes_are_those_of_Kafka) {
  const char* given = std::getenv("MOLDAU_HISTORIES");
  std::ifstream in(given ? given : MOLDAU_TESTDATA "/kafka/histories.txt");
  ASSERT_TRUE(in.good());
  std::unique_ptr<History> history = std::make_unique<History>();
  std::string command;
  Lines kafka;
  int failures = 0, histories = 1, ended_early = 0;
  const auto finish = [&] {
    if (!command.empty() && history && !history->step(command, kafka)) {
      failures += testing::Test::HasFailure();
      ++ended_early;
      history.reset();
    }
    command.clear();
    kafka.clear();
  };
  for (std::string line; failures < 3 && std::getline(in, line);) {
    if (line.starts_with("  ")) {
      kafka.push_back(line.substr(2));
      continue;
    }
    finish();
    command = line;
    if (line.empty()) history = std::make_unique<History>(), ++histories;
  }
  finish();
  std::cout << History::steps << " steps of " << histories << " histories, " << ended_early
            << " ended early by a difference on purpose\n";
  EXPECT_GE(histories, 30);
  EXPECT_LT(ended_early * 3, histories);
}

}  // namespace
}  // namespace moldau
