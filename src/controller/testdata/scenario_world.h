// For tests: a controller without a log: its state, and how commands read their words and print.
#pragma once
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "controller/broker_planner.h"
#include "controller/state/partition_states.h"
#include "controller/state/preferred_replicas.h"
#include "controller/state/replica_states.h"
#include "controller/testdata/record_text.h"
#include "metadata/image_replay.h"

namespace moldau::test {

class ScenarioWorld {
 protected:
  // ---- words

  bool has(const std::string& word) const { return std::ranges::find(words_, word) != words_.end(); }
  std::optional<std::string> value(const std::string& key) const {
    for (const std::string& w : words_)
      if (w.starts_with(key + "=")) return w.substr(key.size() + 1);
    return std::nullopt;
  }
  int64_t number(const std::string& key, int64_t otherwise) const {
    const auto v = value(key);
    return v ? std::stoll(*v) : otherwise;
  }
  static std::vector<int32_t> numbers(const std::string& text, char separator = ',') {
    std::vector<int32_t> all;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) all.push_back(std::stoi(part));
    return all;
  }
  static std::vector<Uuid> directories(const std::string& text) {
    std::vector<Uuid> all;
    for (int32_t n : numbers(text)) all.push_back(Uuid{n < 1000 ? 0u : 9u, static_cast<uint64_t>(n)});
    return all;
  }
  int32_t id() const { return std::stoi(words_.at(0)); }

  // ---- the state

  const ClusterImage& image() const { return replay_.image(); }
  ControllerView view() const { return {image(), index_, sessions_, options_}; }
  void apply(const RecordBuffer& records) {
    const ClusterImage before = image();
    for (size_t i = 0; i < records.size(); ++i) {
      const Status done = replay_.replay(records[i], {next_, LeaderEpoch(1), 0});
      ++next_;
      if (!done) out_ << "replay refuses: " << done.error().message << "\n";
      out_ << RecordText(before, image()).of(records[i]) << "\n";
    }
    const ImageChange change = replay_.take();
    index_.apply(*change.delta, *change.image);
    preferred_.apply(*change.delta, *change.image, now_);
    ClusterIndex anew;
    anew.rebuild(*change.image);
    if (!(anew == index_)) out_ << "the index isn't a function of the image\n";
  }
  template <class AnyPlan>
  void apply_plan(const AnyPlan& plan) {
    apply(plan.records);
    for (const std::string& why : plan.refused) out_ << "refused: " << why << "\n";
  }
  void print_error(const Error& error) {
    out_ << "=> " << error_name(error.code) << ": " << error.message << "\n";
  }
  static std::string text(ErrorCode code, const std::optional<std::string_view>& message = std::nullopt) {
    return std::string(error_name(code)) + (message ? ": " + std::string(*message) : "");
  }
  // NAME-P
  std::pair<const TopicImage*, PartitionId> partition() const {
    const std::string& w = words_.at(0);
    const size_t dash = w.rfind('-');
    return {image().topic(w.substr(0, dash)), PartitionId(std::stoi(w.substr(dash + 1)))};
  }
  template <class T>
  void print_result(const Result<T>& result) {
    if (!result) print_error(result.error());
  }

  ControllerOptions options_;
  ImageReplay replay_;
  ClusterIndex index_;
  PreferredReplicas preferred_;
  BrokerSessions sessions_{options_.session_timeout};
  RandomStream random_{{1, 2, 3, 4}};
  Offset next_{0};
  Instant now_{};
  std::vector<std::string> words_;
  std::ostringstream out_;
};

}  // namespace moldau::test
