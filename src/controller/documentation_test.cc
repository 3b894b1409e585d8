// docs/CONTROLLER.md prints the tables that the code has. MOLDAU_REWRITE=1 writes them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "controller/broker_states.h"
#include "controller/leader_selectors.h"
#include "controller/partition_states.h"
#include "controller/replica_states.h"

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
