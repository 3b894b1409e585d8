// Requests and responses as they travel, and what stands in front of a record where one is stored.
//
//   request    int32 size | RequestHeader v1 or v2 | body          size counts what follows it, at most 2^31-1
//   response   int32 size | ResponseHeader v0 or v1 | body
//   metadata log and remote log metadata       uvarint 1 | uvarint type | uvarint version | body
//   coordinators' topics, keys                 int16 type | body                     (a key is always version 0)
//   coordinators' topics, values; data with `prefix version` in its schema     int16 version | body
#pragma once
#include <optional>
#include <string_view>

#include "base/result.h"
#include "protocol/api_info.h"
#include "protocol/codec.h"
#include "protocol/header/request_header.h"
#include "protocol/header/response_header.h"

namespace moldau::protocol {

// --- Requests and responses

struct RequestHead {
  const ApiInfo* api;  // never null
  RequestHeader header;
};

// Reads the header, behind the size; the body follows in `in`. The version is only that which the client says: whether it
// is served (is_served in api_info.h) is the caller's question; a too new ApiVersions request gets an answer in version 0.
// Errors: INVALID_REQUEST if the API is unknown or removed, or the header malformed. Kafka closes the connection then.
Result<RequestHead> decode_request_header(Decoder& in);
Result<ResponseHeader> decode_response_header(Decoder& in, const ApiInfo& api, int16_t version);

// Whole frames, size included. Error: INVALID_REQUEST if a string has no encoding or the frame exceeds 2^31-1 bytes.
Result<Encoded> encode_request(const MessageInfo& info, const void* body, int16_t version,
                               int32_t correlation_id, std::optional<std::string_view> client_id);
Result<Encoded> encode_response(const MessageInfo& info, const void* body, int16_t version,
                                int32_t correlation_id);

template <Message T>
Result<Encoded> encode_request(const T& body, int16_t version, int32_t correlation_id,
                               std::optional<std::string_view> client_id) {
  return encode_request(T::kInfo, &body, version, correlation_id, client_id);
}
template <Message T>
Result<Encoded> encode_response(const T& body, int16_t version, int32_t correlation_id) {
  return encode_response(T::kInfo, &body, version, correlation_id);
}

// --- Records

struct RecordFrame {
  int16_t type = -1;  // -1: the frame has none
  int16_t version = 0;
  bool operator==(const RecordFrame&) const = default;
};

// In front of a metadata or remote log record. Error: CORRUPT_MESSAGE for another frame version or numbers out of range.
Result<RecordFrame> decode_record_frame(Decoder& in);
void encode_record_frame(RecordFrame frame, Encoder& out);

// A message with what its kind has in front where it is stored. Requests, responses and headers have nothing.
void encode_framed(const MessageInfo& info, const void* message, int16_t version, Encoder& out);
// Reads that again, for a message of known type. Errors: CORRUPT_MESSAGE, UNSUPPORTED_VERSION. For kinds that carry no
// version within, `version` says it.
Result<int16_t> decode_framed(const MessageInfo& info, Decoder& in, void* message, int16_t version = 0);

template <Message T>
void encode_framed(const T& message, int16_t version, Encoder& out) {
  encode_framed(T::kInfo, &message, version, out);
}
template <Message T>
Result<int16_t> decode_framed(Decoder& in, T& out) {
  return decode_framed(T::kInfo, in, &out);
}

}  // namespace moldau::protocol
