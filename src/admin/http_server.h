// HttpServer: HTTP/1.1 for machines that watch the node: GET and HEAD, answers of known length, connections kept. Small
// limits, because nobody but an operator's tools speaks to it.
//
// Owner: the lane that it was made with.
#pragma once
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "io/transport.h"

namespace moldau::admin {

struct HttpAnswer {
  int status = 200;
  std::string content_type;
  std::string body;
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  using Done = std::move_only_function<void(HttpAnswer)>;
  // On the server's lane; `done` there too, at once or later, once. `path` is without the query.
  virtual void get(std::string_view path, Done done) = 0;
};

class HttpServer {
 public:
  static constexpr size_t kMostConnections = 64;
  static constexpr size_t kLongestHead = 8 << 10;
  static constexpr Duration kMostIdle = std::chrono::seconds(75);

  HttpServer(io::Lane& lane, HttpHandler& handler);
  ~HttpServer();

  io::IoResult<io::Endpoint> listen(io::Transport& transport, const io::Endpoint& at);
  void close();

 private:
  class Connection;
  io::Lane& lane_;
  HttpHandler& handler_;
  std::unique_ptr<io::Listener> listener_;
  std::list<std::shared_ptr<Connection>> connections_;
};

}  // namespace moldau::admin
