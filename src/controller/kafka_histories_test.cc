// Random histories, and what Apache Kafka 4.4.0's controller did in each step: the same records and the same codes, wherever
// it doesn't decide by chance. tests/kafka/record_controller_histories.py makes them; MOLDAU_HISTORIES=FILE plays others.
//
// Where the two differ on purpose, or by a defect of Kafka's, what they do with that partition can't be compared any more
// until its topic is deleted: it is set aside, for one of the reasons in kReasons, and the history goes on.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <regex>
#include <set>

#include "controller/testdata/scenario.h"

namespace moldau {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view kGhost =
    "Kafka counts a replica that was reassigned away among the eligible leaders";
constexpr std::string_view kElected =
    "the election of an eligible leader completes a reassignment, not in Kafka";
constexpr std::string_view kTakesBack = "a target takes back what an earlier one adds: Kafka waits for ever";
constexpr std::string_view kLeads =
    "a broker shuts down that leads what was set aside, here or there: the history ends";
constexpr std::string_view kFails = "Kafka's controller fails";
constexpr std::string_view kReasons[] = {kGhost, kElected, kTakesBack, kLeads, kFails};

// Records, and of an answer its code: the words are ours.
Lines essence(const Lines& text) {
  static const std::regex code("=> .*?\\b([A-Z][A-Z_]{3,})\\b.*");
  Lines lines;
  for (const std::string& line : text) {
    std::smatch found;
    if (line == "(nothing)" || line.starts_with("=> epoch")) continue;
    lines.push_back(std::regex_match(line, found, code) ? "=> " + found[1].str() : line);
  }
  std::ranges::sort(lines);  // Kafka goes through its hash maps
  return lines;
}

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string joined(const Lines& lines) {
  std::string s;
  for (const std::string& line : lines) s += "    " + line + "\n";
  return s.empty() ? "    (nothing)\n" : s;
}

Lines without(Lines lines, const std::string& pattern) {
  const std::regex what(pattern);
  for (std::string& line : lines) line = std::regex_replace(line, what, "");
  return lines;
}

std::set<int32_t> ids_in(const std::string& text) {
  std::set<int32_t> ids;
  std::istringstream in(text);
  for (std::string id; std::getline(in, id, ',');)
    if (id != "none") ids.insert(std::stoi(id));
  return ids;
}

class Player : public test::Scenario {
 public:
  // Partitions of which a replica is being added and removed.
  std::set<std::string> taking_back() {
    std::set<std::string> names;
    image().topics().for_each([&](const Uuid&, const TopicImage& topic) {
      topic.partitions.for_each([&](PartitionId index, const PartitionRegistration& p) {
        for (int32_t id : p.adding_replicas.raw())
          if (p.removing_replicas.contains(BrokerId(id)))
            names.insert(topic.name + "-" + std::to_string(index.value));
      });
    });
    return names;
  }
  const PartitionRegistration* find(const std::string& name) {
    const size_t dash = name.rfind('-');
    const TopicImage* topic = image().topic(name.substr(0, dash));
    return topic ? topic->partition(PartitionId(std::stoi(name.substr(dash + 1)))) : nullptr;
  }
};

class History {
 public:
  // False: what follows says nothing.
  bool step(const std::string& command, const Lines& kafka) {
    said_ += command + "\n";
    for (const std::string& line : kafka)
      if (line.starts_with("fails:")) return ++reasons[kFails], false;
    about_ = partition_of(command);
    const bool was_reassigning = is_reassigning(about_);
    std::set<std::string> taking_back = player_.taking_back();
    if (command.starts_with("register")) player_.run("wait 10 unwatched");
    const Lines ours = essence(lines_of(player_.run(command)));
    taking_back.merge(player_.taking_back());
    if (was_reassigning && command.starts_with("reassign")) taking_back.insert(about_);
    ++steps;
    if (!kafka.empty() && kafka[0] == "=> no such partition") return true;
    const Lines theirs = essence(kafka);
    const std::set<std::string> ghosts = with_ghosts();
    note_eligible(theirs);
    std::set<std::string> subjects;
    for (const Lines* lines : {&ours, &theirs})
      for (const std::string& line : *lines) subjects.insert(subject_of(line));
    for (const std::string& subject : subjects) {
      if (set_aside_.contains(subject)) continue;
      const Lines a = only(ours, subject), b = only(theirs, subject);
      if (a == b || (same_but_eligible(a, b) && eligible_agree(subject))) continue;
      const auto reason = why_different(subject, a, b, taking_back, ghosts);
      if (subject.empty() && !set_aside_.empty() && command.ends_with(" shutdown"))
        return ++reasons[kLeads], false;
      if (!reason) {
        ADD_FAILURE() << "after\n" << said_ << "  Kafka:\n" << joined(b) << "  ours:\n" << joined(a);
        return false;
      }
      ++reasons[*reason];
      set_aside_.insert(subject);
      any_set_aside_ = true;
    }
    if (command.starts_with("delete")) forget(command.substr(command.find(' ') + 1) + "-");
    return true;
  }
  bool any_set_aside() const { return any_set_aside_; }

  static inline int64_t steps = 0;
  static inline std::map<std::string_view, int64_t> reasons;

 private:
  // Of a command about a partition, its name.
  static std::string partition_of(const std::string& command) {
    std::istringstream words(command);
    std::vector<std::string> w;
    for (std::string word; words >> word;) w.push_back(word);
    if (w[0] == "isr" || w[0] == "reassign") return w[1];
    return w[0] == "elect" ? w[2] : w[0] == "directory" ? w[3] : "";
  }
  // What a line is about: a partition, or nothing in particular.
  std::string subject_of(const std::string& line) const {
    static const std::regex record("Partition(Change)? (\\S+) .*");
    std::smatch found;
    if (line.starts_with("=>")) return about_;
    return std::regex_match(line, found, record) ? found[2].str() : "";
  }
  // The epoch is an offset, which is another one once a partition took another number of records.
  Lines only(const Lines& lines, const std::string& subject) const {
    Lines some;
    for (const std::string& line : lines)
      if (subject_of(line) == subject) some.push_back(line);
    return any_set_aside_ && subject.empty() ? without(some, " epoch=[0-9]+") : some;
  }

  static bool same_but_eligible(const Lines& a, const Lines& b) {
    const std::string eligible = " elr=[0-9a-z,]*";
    return without(a, eligible) == without(b, eligible);
  }
  // Kafka keeps the id of an eligible leader that was reassigned away. That says nothing until it comes back.
  bool eligible_agree(const std::string& name) {
    const PartitionRegistration* p = player_.find(name);
    if (!p) return false;
    std::set<int32_t> theirs = eligible_[name];
    std::erase_if(theirs, [&](int32_t id) { return !p->replicas.contains(BrokerId(id)); });
    const std::vector<int32_t> ours = p->elr.to_vector();
    return theirs == std::set<int32_t>(ours.begin(), ours.end());
  }
  // Partitions of which Kafka has an eligible leader that is no replica.
  std::set<std::string> with_ghosts() {
    std::set<std::string> names;
    for (const auto& [name, ids] : eligible_) {
      const PartitionRegistration* p = player_.find(name);
      if (p && std::ranges::any_of(ids, [&](int32_t id) { return !p->replicas.contains(BrokerId(id)); }))
        names.insert(name);
    }
    return names;
  }
  void note_eligible(const Lines& theirs) {
    static const std::regex change(".* elr=([0-9a-z,]*).*");
    std::smatch found;
    for (const std::string& line : theirs)
      if (std::regex_match(line, found, change)) eligible_[subject_of(line)] = ids_in(found[1].str());
  }

  bool is_reassigning(const std::string& name) {
    const PartitionRegistration* p = name.empty() ? nullptr : player_.find(name);
    return p && p->is_reassigning();
  }

  std::optional<std::string_view> why_different(const std::string& subject, const Lines& ours,
                                                const Lines& theirs, const std::set<std::string>& taking_back,
                                                const std::set<std::string>& ghosts) {
    if (subject.empty()) return std::nullopt;
    if (std::ranges::find(theirs, "=> UNKNOWN_SERVER_ERROR") != theirs.end()) return kFails;
    if (taking_back.contains(subject)) return kTakesBack;
    if (!eligible_agree(subject) || ghosts.contains(subject)) return kGhost;
    const std::string completion = " (elr|replicas|directories)=[-0-9a-z,]*| (removing|adding)=none";
    if (without(ours, completion) == without(theirs, completion)) return kElected;
    return std::nullopt;
  }

  void forget(const std::string& prefix) {
    std::erase_if(set_aside_, [&](const std::string& name) { return name.starts_with(prefix); });
    std::erase_if(eligible_, [&](const auto& entry) { return entry.first.starts_with(prefix); });
  }

  Player player_;
  std::string said_;
  std::string about_;                                  // the partition that the command names
  std::map<std::string, std::set<int32_t>> eligible_;  // as Kafka has them
  std::set<std::string> set_aside_;
  bool any_set_aside_ = false;
};

TEST(KafkaHistories, S17_records_and_codes_are_those_of_Kafka) {
  const char* given = std::getenv("MOLDAU_HISTORIES");
  std::ifstream in(given ? given : MOLDAU_TESTDATA "/kafka/histories.txt");
  ASSERT_TRUE(in.good());
  std::unique_ptr<History> history = std::make_unique<History>();
  std::string command;
  Lines kafka;
  int failures = 0, histories = 1, ended_early = 0, partly = 0;
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
    if (!line.empty()) continue;
    partly += history && history->any_set_aside();
    history = std::make_unique<History>(), ++histories;
  }
  finish();
  std::cout << History::steps << " steps of " << histories << " histories, " << ended_early
            << " ended early, in " << partly << " a partition was set aside\n";
  for (std::string_view reason : kReasons)
    std::cout << "  " << History::reasons[reason] << " times: " << reason << "\n";
  EXPECT_GE(histories, 30);
  EXPECT_EQ(ended_early, History::reasons[kLeads] + History::reasons[kFails]);
  if (!given) EXPECT_EQ(ended_early, 0);
}

}  // namespace
}  // namespace moldau
