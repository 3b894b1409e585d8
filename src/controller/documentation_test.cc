// docs/CONTROLLER.md prints the tables that the code has. MOLDAU_REWRITE=1 writes them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "controller/state/broker_states.h"
#include "controller/state/leader_selectors.h"
#include "controller/state/partition_states.h"
#include "controller/state/replica_states.h"
#include "controller/testdata/crash_table.h"
#include "controller/testdata/requirements.h"

namespace moldau {
namespace {

constexpr const char* kPath = MOLDAU_TESTDATA "/../../../docs/CONTROLLER.md";

std::string row(std::initializer_list<std::string_view> cells) {
  std::string line = "|";
  for (std::string_view cell : cells) line += " " + std::string(cell) + (cell.empty() ? "|" : " |");
  return line + "\n";
}

template <class Table>
std::string transitions(const Table& table) {
  std::string text =
      row({"from", "to", "when", "records", "instead of"}) + row({"---", "---", "---", "---", "---"});
  for (const auto& t : table) text += row({name_of(t.from), name_of(t.to), t.when, t.records, t.replaces});
  return text;
}

std::string table(const std::string& name) {
  if (name == "partitions") return transitions(kPartitionTransitions);
  if (name == "replicas") return transitions(kReplicaTransitions);
  std::string text;
  if (name == "brokers") {
    text = row({"from", "to", "when", "records"}) + row({"---", "---", "---", "---"});
    for (const BrokerTransition& t : kBrokerTransitions)
      text += row({name_of(t.from), name_of(t.to), t.when, t.records});
  }
  if (name == "selectors") {
    text = row({"election", "first", "then", "at last", "instead of"}) +
           row({"---", "---", "---", "---", "---"});
    for (const LeaderSelector& s : kLeaderSelectors)
      text += row({s.name, s.first, s.then, s.at_last, s.replaces});
  }
  if (name == "requirements") {
    text = row({"", "what", "shown by", "open"}) + row({"---", "---", "---", "---"});
    const auto tests = test::tests_by_requirement(MOLDAU_TESTDATA "/../../..");
    for (const test::Requirement& r : test::kRequirements) {
      std::string names;
      if (const auto found = tests.find(r.id); found != tests.end())
        for (const std::string& test : found->second) names += (names.empty() ? "" : ", ") + test;
      text += row({"S" + std::to_string(r.id), r.what, names, r.open});
    }
  }
  if (name == "crashes") {
    text =
        row({"operation", "step", "crash before its commit", "after it"}) + row({"---", "---", "---", "---"});
    test::CrashExploration exploration;
    for (const test::CrashOperation& operation : test::crash_operations()) {
      int number = 0;
      for (const test::CrashRow& r : exploration.explore(operation))
        text += row({number++ ? std::string_view() : std::string_view(r.operation), r.step, r.before_commit,
                     r.after_commit});
    }
  }
  return text;
}

// The page with each table between its marks as the code has it.
std::string filled(const std::string& page) {
  std::istringstream in(page);
  std::string out;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "<!-- end -->") inside = false;
    if (!inside) out += line + "\n";
    if (line.starts_with("<!-- ") && line != "<!-- end -->") {
      out += table(line.substr(5, line.size() - 9));
      inside = true;
    }
  }
  return out;
}

TEST(Documentation, the_page_about_the_controller_has_the_codes_tables) {
  std::ifstream in(kPath);
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  ASSERT_FALSE(page.empty()) << kPath;
  if (std::getenv("MOLDAU_REWRITE"))
    std::ofstream(kPath) << filled(page);
  else
    EXPECT_EQ(page, filled(page)) << "run with MOLDAU_REWRITE=1";
}

}  // namespace
}  // namespace moldau
