// Which of a broker's keys may change while it runs, and to what (KIP-226).
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/resolution.h"

namespace moldau::config {

// All that would be set for one broker, or for all of them, after a change.
using DynamicValues = std::map<std::string, std::string, std::less<>>;

struct BrokerChange {
  const DynamicValues& values;
  bool of_one_broker = true;  // false: the default of all
};

// INVALID_REQUEST with a sentence, as in Kafka also for a value that isn't valid. `now`: what is in force.
Status validate_broker_change(const BrokerChange& change, const BrokerValues& now);

}  // namespace moldau::config
