// ConnectionLimits: how many connections a node and one address may have (max.connections,
// max.connections.per.ip and its overrides). Shared by all lanes and so behind a lock; taken only when a
// connection comes or goes.
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace moldau::net {

class ConnectionLimits {
 public:
  struct Options {
    int max_connections = 2147483647;
    int max_per_address = 2147483647;
    std::map<std::string, int, std::less<>> per_address;  // overrides, by textual address
  };
  explicit ConnectionLimits(Options options) : options_(std::move(options)) {}

  // Counts a connection from `address`, or says in a sentence why there may be no more.
  std::optional<std::string> admit(const std::string& address);
  // Connections that are there stay, even if there are more now than there may be.
  void set_options(Options options);
  void leave(const std::string& address);
  int total() const;

 private:
  Options options_;
  mutable std::mutex mutex_;  // a leaf: nothing is called while it is held
  std::map<std::string, int, std::less<>> counts_;
  int total_ = 0;
};

}  // namespace moldau::net
