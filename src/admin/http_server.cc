#include "admin/http_server.h"

#include <fmt/format.h>

#include <array>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <utility>

namespace moldau::admin {
namespace {

namespace http = boost::beast::http;
using Parser = http::request_parser<http::empty_body>;

std::string head_of(const HttpAnswer& answer, bool keep) {
  const auto reason = http::obsolete_reason(static_cast<http::status>(answer.status));
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\n", answer.status, std::string_view(reason.data(), reason.size()));
  if (answer.status != 204) head += fmt::format("Content-Length: {}\r\n", answer.body.size());
  if (!answer.body.empty()) head += fmt::format("Content-Type: {}\r\n", answer.content_type);
  if (answer.status == 405) head += "Allow: GET, HEAD\r\n";
  if (!keep) head += "Connection: close\r\n";
  return head + "\r\n";
}

HttpAnswer refusal(int status, std::string sentence) {
  return {status, "text/plain; charset=utf-8", std::move(sentence) + "\n"};
}

}  // namespace

// One at a time: the next request is read when the answer to the one before has left.
class HttpServer::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(HttpServer& server, std::unique_ptr<io::Socket> socket)
      : server_(server), socket_(std::move(socket)) {}

  void read();
  void close();  // the server forgets it
  std::list<std::shared_ptr<Connection>>::iterator place;

 private:
  bool take_request();  // false: more bytes are needed
  void handle(const Parser::value_type& request);
  void answer(HttpAnswer answer, bool keep, bool with_body);
  void write();
  void restart_timer();

  HttpServer& server_;
  std::unique_ptr<io::Socket> socket_;
  io::Timer timer_;
  std::string in_, head_, body_;
  size_t sent_ = 0;
  bool keep_ = true;
  bool busy_ = false;  // a request is being answered
};

void HttpServer::Connection::close() {
  if (!socket_) return;
  const auto self = shared_from_this();
  socket_.reset();
  timer_.cancel();
  server_.connections_.erase(place);
}

void HttpServer::Connection::restart_timer() {
  timer_ = server_.lane_.after(kMostIdle, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->close();
  });
}

void HttpServer::Connection::read() {
  restart_timer();
  while (socket_ && !busy_) {
    if (!in_.empty() && take_request()) continue;
    if (!socket_ || busy_) return;
    std::array<uint8_t, 4096> space;
    const auto count = socket_->read_some(MutableBytes(space));
    if (!count) return close();
    in_ += as_text(Bytes(space).first(*count));
    if (*count > 0) continue;
    return socket_->when_readable([weak = weak_from_this()] {
      if (auto self = weak.lock()) self->read();
    });
  }
}

bool HttpServer::Connection::take_request() {
  Parser parser;
  parser.header_limit(kLongestHead);
  parser.body_limit(boost::none);
  boost::system::error_code error;
  const size_t used = parser.put(boost::beast::net::const_buffer(in_.data(), in_.size()), error);
  if (error == http::error::need_more && in_.size() < kLongestHead) return false;
  if (error || !parser.is_header_done()) {
    answer(refusal(400, "this is no HTTP request that can be answered here"), false, true);
    return true;
  }
  if (!parser.is_done()) {
    answer(refusal(413, "a request with a body is not answered here"), false, true);
    return true;
  }
  in_.erase(0, used);
  handle(parser.get());
  return true;
}

void HttpServer::Connection::handle(const Parser::value_type& request) {
  const bool keep = request.keep_alive();
  const bool head = request.method() == http::verb::head;
  if (!head && request.method() != http::verb::get)
    return answer(refusal(405, "only GET and HEAD are answered here"), keep, true);
  const std::string_view target(request.target().data(), request.target().size());
  busy_ = true;
  server_.handler_.get(target.substr(0, target.find('?')),
                       [self = shared_from_this(), keep, head](HttpAnswer given) {
                         if (self->socket_) self->answer(std::move(given), keep, !head);
                       });
}

void HttpServer::Connection::answer(HttpAnswer answer, bool keep, bool with_body) {
  busy_ = true;
  keep_ = keep;
  head_ = head_of(answer, keep);
  body_ = with_body ? std::move(answer.body) : std::string();
  sent_ = 0;
  restart_timer();
  write();
}

void HttpServer::Connection::write() {
  const size_t size = head_.size() + body_.size();
  while (socket_ && sent_ < size) {
    const size_t of_head = std::min(sent_, head_.size());
    const std::array<Bytes, 2> parts{as_bytes(head_).subspan(of_head),
                                     as_bytes(body_).subspan(sent_ - of_head)};
    const auto sent = socket_->write_some(of_head < head_.size() ? std::span<const Bytes>(parts)
                                                                 : std::span<const Bytes>(parts).last(1));
    if (!sent) return close();
    sent_ += *sent;
    if (*sent > 0) continue;
    return socket_->when_writable([weak = weak_from_this()] {
      if (auto self = weak.lock()) self->write();
    });
  }
  if (!socket_) return;
  body_ = {};
  if (!keep_) return close();
  // What was read with the last request is handled in a turn of its own, so that nobody can keep the lane busy.
  server_.lane_.post([weak = weak_from_this()] {
    if (auto self = weak.lock()) self->busy_ = false, self->read();
  });
}

HttpServer::HttpServer(io::Lane& lane, HttpHandler& handler) : lane_(lane), handler_(handler) {}

HttpServer::~HttpServer() {
  close();
}

io::IoResult<io::Endpoint> HttpServer::listen(io::Transport& transport, const io::Endpoint& at) {
  io::Lane* lane = &lane_;
  auto listener = transport.listen(at, std::span<io::Lane* const>(&lane, 1),
                                   [this](io::Lane&, std::unique_ptr<io::Socket> socket) {
                                     if (!listener_ || connections_.size() >= kMostConnections)
                                       return;  // closes it
                                     auto connection = std::make_shared<Connection>(*this, std::move(socket));
                                     connections_.push_back(connection);
                                     connection->place = std::prev(connections_.end());
                                     connection->read();
                                   });
  if (!listener) return std::unexpected(std::move(listener.error()));
  listener_ = std::move(*listener);
  return listener_->local();
}

void HttpServer::close() {
  listener_.reset();
  while (!connections_.empty()) {
    const auto last = connections_.back();
    last->close();
  }
}

}  // namespace moldau::admin
