#include "config/dynamic_broker.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/value.h"

namespace moldau::config {
namespace {

// Of these a running broker takes new ones only for a listener of its own: with its name in front.
constexpr std::string_view kOfListenersOnly[] = {"ssl.key.password",        "ssl.keystore.certificate.chain",
                                                 "ssl.keystore.key",        "ssl.keystore.location",
                                                 "ssl.keystore.password",   "ssl.keystore.type",
                                                 "ssl.truststore.type",     "ssl.truststore.certificates",
                                                 "ssl.truststore.location", "ssl.truststore.password"};
// With a listener's name in front, these may be set for all brokers at once.
constexpr std::string_view kOfListenersOfAll[] = {"max.connection.creation.rate", "max.connections",
                                                  "num.network.threads"};
// At most twice as many as there are, and at least half as many.
constexpr std::string_view kThreads[] = {"background.threads",   "log.cleaner.threads",
                                         "num.io.threads",       "num.network.threads",
                                         "num.replica.fetchers", "num.recovery.threads.per.data.dir"};
constexpr std::string_view kPositive[] = {"max.connections", "max.connection.creation.rate"};
// Kafka's own classes, in which Moldau's code stands.
constexpr std::pair<std::string_view, std::string_view> kOnlyClass[] = {
    {"principal.builder.class",
     "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder"},
    {"metric.reporters", "org.apache.kafka.common.metrics.JmxReporter"}};
// Kafka can do this; Moldau opens its listeners when it starts.
constexpr std::string_view kOfTheStart[] = {"listeners", "listener.security.protocol.map"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::unexpected<Error> refuse(std::string why) {
  return fail(ErrorCode::kInvalidRequest, std::move(why));
}

class Validation {
 public:
  Validation(const BrokerChange& change, const BrokerValues& now) : change_(change), now_(now) {}

  Status all() const {
    TRY(none("Cannot update these configs dynamically", [](std::string_view name, const Key* key) {
      return key && key->name == name && key->update == UpdateMode::kReadOnly;
    }));
    TRY(none("These security configs can be dynamically updated only per-listener using the listener prefix",
             [](std::string_view name, const Key*) { return contains(kOfListenersOnly, name); }));
    for (const auto& [name, value] : change_.values)
      if (const Key* key = find_broker_key(name))
        if (Status valid = validate(*key, value); !valid) return refuse(valid.error().message);
    if (!change_.of_one_broker)
      TRY(none("Cannot update these configs at default cluster level, broker id must be specified",
               [](std::string_view name, const Key* key) {
                 if (!key) return name.starts_with("listener.name.");
                 if (key->name != name) return !contains(kOfListenersOfAll, key->name);
                 return key->update == UpdateMode::kPerBroker && find(broker_keys(), name);
               }));
    for (const auto& [name, value] : change_.values)
      if (const Key* key = find_broker_key(name)) TRY(one(*key, value));
    return cleaner_memory();
  }

 private:
  template <class Test>
  Status none(std::string_view complaint, Test&& test) const {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : change_.values)
      if (test(std::string_view(name), find_broker_key(name))) names.push_back(name);
    if (names.empty()) return {};
    return refuse(fmt::format("{}: [{}]", complaint, fmt::join(names, ", ")));
  }

  std::optional<int64_t> number_now(std::string_view name) const {
    const auto value = broker_value(*find(broker_keys(), name), now_);
    return value ? parse_integer(*value) : std::nullopt;
  }

  // What will be in force. A value for one broker hides that for all.
  std::optional<int64_t> number_after(std::string_view name) const {
    const auto set = change_.values.find(name);
    const bool hidden = !change_.of_one_broker && now_.own && now_.own->find(name);
    if (set != change_.values.end() && !hidden) return parse_integer(set->second);
    return number_now(name);
  }

  Status one(const Key& key, std::string_view value) const {
    if (contains(kThreads, key.name)) TRY(threads(key, value));
    if (contains(kPositive, key.name) && parse_integer(value).value_or(0) <= 0)
      return refuse(fmt::format("Invalid {} {}: it must be greater than 0", key.name, value));
    if (key.name == "log.roll.ms" && parse_integer(value).value_or(0) < 1)
      return refuse("log.roll.ms must be greater than or equal to 1");
    if (key.name == "log.roll.jitter.ms" && parse_integer(value).value_or(0) < 0)
      return refuse("log.roll.jitter.ms must be greater than or equal to 0");
    if (key.name.ends_with(".assignment.interval.ms")) TRY(interval(key, value));
    if (key.name == "max.connections.per.ip.overrides") TRY(connection_overrides(value));
    if (key.name == "cordoned.log.dirs") TRY(directories(value));
    for (const auto& [name, only] : kOnlyClass)
      if (key.name == name && !trim(value).empty() && trim(value) != only)
        return refuse(fmt::format("{}={}: classes of others can't be loaded; only {} can be named here", name,
                                  value, only));
    if (contains(kOfTheStart, key.name))
      return refuse(fmt::format("{} can't be changed while the node runs; change its file and start it anew",
                                key.name));
    return {};
  }

  Status threads(const Key& key, std::string_view value) const {
    const int64_t after = parse_integer(value).value_or(0), before = number_now(key.name).value_or(0);
    const std::string what =
        fmt::format("Dynamic thread count update validation failed for {}={}", key.name, after);
    if (after < 1) return refuse(what + ", value should be at least 1");
    if (after > before * 2)
      return refuse(
          fmt::format("{}, value should not be greater than double the current value {}", what, before));
    if (after < before / 2)
      return refuse(fmt::format("{}, value should be at least half the current value {}", what, before));
    return {};
  }

  Status interval(const Key& key, std::string_view value) const {
    constexpr std::string_view kSuffix = "assignment.interval.ms";
    const std::string kind(key.name.substr(0, key.name.size() - kSuffix.size()));  // "group.consumer."
    const std::string least = kind + "min." + std::string(kSuffix),
                      most = kind + "max." + std::string(kSuffix);
    const int64_t number = parse_integer(value).value_or(0);
    if (number > number_now(most).value_or(number))
      return refuse(fmt::format("{} must be less than or equal to {}", key.name, most));
    if (number < number_now(least).value_or(number))
      return refuse(fmt::format("{} must be greater than or equal to {}", key.name, least));
    return {};
  }

  static Status connection_overrides(std::string_view value) {
    for (std::string_view entry : split_list(value)) {
      const size_t colon = entry.rfind(':');
      if (colon == entry.npos || !parse_integer(entry.substr(colon + 1)))
        return refuse(fmt::format(
            "max.connections.per.ip.overrides={}: each entry is of the form address:number", value));
    }
    return {};
  }

  Status directories(std::string_view value) const {
    if (trim(value) == "*") return {};
    auto dirs = broker_value(*find(broker_keys(), "log.dirs"), now_);
    if (!dirs) dirs = broker_value(*find(broker_keys(), "log.dir"), now_);
    const auto known = split_list(*dirs);
    for (std::string_view entry : split_list(value))
      if (!contains(known, entry))
        return refuse(
            fmt::format("All entries in cordoned.log.dirs must be present in log.dirs or log.dir. Missing "
                        "entries : {}",
                        entry));
    return {};
  }

  Status cleaner_memory() const {
    const int64_t bytes = number_after("log.cleaner.dedupe.buffer.size").value_or(0);
    const int64_t count = std::max<int64_t>(1, number_after("log.cleaner.threads").value_or(1));
    if (bytes / count > (1 << 20)) return {};
    return refuse("log.cleaner.dedupe.buffer.size must be at least 1MB per cleaner thread.");
  }

  const BrokerChange& change_;
  const BrokerValues& now_;
};

}  // namespace

Status validate_broker_change(const BrokerChange& change, const BrokerValues& now) {
  return Validation(change, now).all();
}

}  // namespace moldau::config
