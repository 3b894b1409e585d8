// For tests: what the controller's description asks for, by number (S1-S23: creation with too few brokers, KIP-409;
// S63-S114: the controller), and which tests show it. A test names what it shows: TEST(..., S73_...), a story
// S93_S105_….txt, a story's line "# S91: …", or a case with real clients and nodes, "def s12_…".
#pragma once
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace moldau::test {

struct Requirement {
  int id;
  const char* what;
  const char* open = "";  // what of it takes brokers that replicate, and is a test once there are some
};

inline constexpr Requirement kRequirements[] = {
    {1, "topics can be created while brokers are fewer than replicas"},
    {2, "such topics serve producers and consumers", "acks=all and a consumer on an under-replicated topic"},
    {3, "creation works at every moment of a rolling restart of three"},
    {4, "likewise of four with one down"},
    {5, "a dark zone gets the third replica, expected back"},
    {6, "the same for CreatePartitions"},
    {7, "everything stays available over rolling restarts",
     "a soak with all APIs over five rolling restarts"},
    {8, "min.insync.replicas active brokers are required"},
    {9, "placeholders -1, -2, … for what is missing"},
    {10, "a broker that joins is assigned"},
    {11, "not where it is a replica already"},
    {12, "the partition appears under-replicated until then"},
    {13, "off by default"},
    {14, "enable.under.replicated.topic.creation, static and dynamic"},
    {15, "its definition as a configuration key"},
    {16, "answers have NONE"},
    {17, "off is exactly Kafka's behaviour"},
    {18, "no migration, readable by Kafka"},
    {19, "nothing is assigned to brokers that are down"},
    {20, "requests are unchanged"},
    {21, "the answer has the replication factor that was asked for"},
    {22, "no new error code"},
    {23, "it can be switched while running"},
    {63, "one active controller", "the sum of ActiveControllerCount over a cluster"},
    {64, "NonExistentPartition"},
    {65, "NewPartition is never seen"},
    {66, "OnlinePartition has a leader"},
    {67, "OfflinePartition has none"},
    {68, "NonExistent to New: the assignment"},
    {69, "New to Online: the first active replica leads, the active ones are the ISR"},
    {70, "Online or Offline to Online: leader and ISR"},
    {71, "to Offline: nothing but a mark"},
    {72, "Offline to NonExistent: nothing but a mark"},
    {73, "illegal transitions are refused, the rest goes on"},
    {74, "NewReplica only follows"},
    {75, "OnlineReplica may lead"},
    {76, "OfflineReplica: its broker or directory is down", "OfflineReplicas in Metadata of another broker"},
    {77, "NonExistentReplica: deleted", "the directory is gone from the disk"},
    {78, "a new replica learns its leader", "it fetches from the leader"},
    {79, "New to Online: the assignment stays consistent"},
    {80, "Online or Offline to Online: the replica learns the leader",
     "a restarted follower goes on in the current epoch"},
    {81, "to Offline: out of the ISR, data kept"},
    {82, "Offline to NonExistent: deletion", "files of a replica that was reassigned away vanish"},
    {83, "the three states of a deletion", "a log that was deleted while its broker was down is set aside"},
    {84, "onNewTopicCreation"},
    {85, "onNewPartitionCreation in one batch"},
    {86, "onBrokerFailure: partitions go offline"},
    {87, "… and online again elsewhere"},
    {88, "… and its replicas leave the ISRs"},
    {89, "onBrokerStartup: full metadata first", "the port opens when it has caught up"},
    {90, "… its replicas come online"},
    {91, "… partitions that only it can lead are led"},
    {92, "… reassignments to it complete"},
    {93, "reassignment: all replicas are stored first"},
    {94, "… all of them learn it"},
    {95, "… new ones are NewReplica"},
    {96, "… it waits for the ISR"},
    {97, "… new ones are OnlineReplica"},
    {98, "… the target in memory"},
    {99, "… the leader moves if it has to, in a new epoch"},
    {100, "… old ones leave the ISR"},
    {101, "… and are deleted", "their directories are gone"},
    {102, "… the target is stored last"},
    {103, "… it is no longer listed"},
    {104, "… everybody learns it", "Metadata of every broker"},
    {105, "… as the six rows say"},
    {106, "… and a crash at any step leaves what is needed to go on"},
    {107, "cancellation and replacement (KIP-455)"},
    {108, "onControllerFailover: nothing is lost", "no error of producers while the controller is killed"},
    {109, "… partitions without leader are led"},
    {110, "… reassignments and elections go on"},
    {111, "election of preferred leaders, asked for and not"},
    {112, "controlled shutdown"},
    {113, "leader selectors"},
    {114, "deletion with a dead broker, and while it is reassigned"},
};

inline std::string contents_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// By number, the names of the controller's tests and stories, and of cases with real clients. `root`: the project's folder.
inline std::map<int, std::set<std::string>> tests_by_requirement(const std::filesystem::path& root) {
  std::map<int, std::set<std::string>> found;
  const std::regex number("S([0-9]+)"), test("TEST(?:_[FP])?\\(\\s*(\\w+),\\s*(\\w+)\\)"),
      told("# (S[0-9][^:]*):"), range("S([0-9]+) to S([0-9]+)");
  const auto note = [&](const std::string& text, const std::string& name) {
    for (auto i = std::sregex_iterator(text.begin(), text.end(), range); i != std::sregex_iterator(); ++i)
      for (int n = std::stoi((*i)[1]); n <= std::stoi((*i)[2]); ++n) found[n].insert(name);
    for (auto i = std::sregex_iterator(text.begin(), text.end(), number); i != std::sregex_iterator(); ++i)
      found[std::stoi((*i)[1])].insert(name);
  };
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "src/controller")) {
    const std::filesystem::path& path = entry.path();
    const bool story = path.extension() == ".txt";
    if (!story && !path.filename().string().ends_with("_test.cc")) continue;
    const std::string text = contents_of(path), name = path.stem().string();
    if (story) note(name, name + ".txt");
    const std::regex& pattern = story ? told : test;
    for (auto i = std::sregex_iterator(text.begin(), text.end(), pattern); i != std::sregex_iterator(); ++i)
      story ? note((*i)[1], name + ".txt") : note((*i)[2], (*i)[1].str() + "." + (*i)[2].str());
  }
  const std::regex of_case("def s([0-9]+)(\\w+)");
  for (const auto& entry : std::filesystem::directory_iterator(root / "tests/compat")) {
    if (entry.path().extension() != ".py") continue;
    const std::string text = contents_of(entry.path());
    for (auto i = std::sregex_iterator(text.begin(), text.end(), of_case); i != std::sregex_iterator(); ++i)
      found[std::stoi((*i)[1])].insert("s" + (*i)[1].str() + (*i)[2].str() + " in " +
                                       entry.path().filename().string());
  }
  return found;
}

}  // namespace moldau::test
