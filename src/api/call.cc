#include "api/call.h"

#include <fmt/format.h>

namespace moldau::api {

void Call::begin(protocol::Encoder& out, int16_t version) const {
  out.i32(0);  // the length, which net fills in
  out.i32(correlation_id_);
  if (protocol::response_header_version(*api_, version) >= 1) out.uvarint(0);  // no tagged fields
}

void Call::finish(protocol::Encoder& out, std::vector<io::FileRange> ranges) {
  // A sentence about a long name may be longer than a string can be; it leaves cut, and the client is none
  // the wiser. So out.ok() isn't asked.
  protocol::Encoded encoded = out.take();
  Response response;
  response.bytes = std::move(encoded.bytes);
  response.splices.reserve(encoded.splices.size());
  for (const protocol::Splice& splice : encoded.splices) {
    response.splices.push_back({splice.position, std::move(ranges[splice.token])});
  }
  responder_.send(std::move(response));
}

void Call::refuse_malformed(const std::string& why) {
  responder_.close(fmt::format("a malformed {} request, version {}: {}", api_->name, version_, why));
}

}  // namespace moldau::api
