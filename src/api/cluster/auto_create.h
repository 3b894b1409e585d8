// Auto-creation of topics that a client asks Metadata for (auto.create.topics.enable).
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/lane.h"

namespace moldau::api {

struct Services;

struct AutoCreateOptions {
  struct Settings {
    int32_t num_partitions = -1;      // -1: the controller's default
    int16_t replication_factor = -1;  // likewise
    std::vector<std::pair<std::string, std::string>> configs;
  };

  bool enabled = true;    // auto.create.topics.enable
  Settings of_any_topic;  // num.partitions and default.replication.factor, if they were set on this broker
  std::map<std::string, Settings, std::less<>> of_internal_topics;  // from offsets.topic.* and the like
  int32_t request_timeout_ms = 30000;                               // request.timeout.ms
};

// Asks the controller for the topics, of legal names, one at least. `done` runs on `lane`, once, when the
// controller has answered: what exists by then is in the lane's image. That another request created one
// meanwhile is no error; what can't be created goes to the log, as in Kafka.
void create_missing_topics(Services& services, io::Lane& lane, const std::vector<std::string_view>& names,
                           io::Task done);

}  // namespace moldau::api
