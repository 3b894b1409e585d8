#include "protocol/frame.h"

#include <limits>

#include "base/assert.h"

namespace moldau::protocol {
namespace {

constexpr uint32_t kRecordFrameVersion = 1;
constexpr size_t kSizeBytes = 4;

bool has_record_frame(const MessageInfo& info) {
  return info.kind == MessageKind::kMetadataRecord || info.kind == MessageKind::kRemoteLogRecord;
}

Result<Encoded> finish(const MessageInfo& info, Encoder& out) {
  if (!out.ok())
    return fail(ErrorCode::kInvalidRequest,
                std::string(info.name) + " has a string of more than 32767 bytes");
  const size_t size = out.total_size() - kSizeBytes;
  if (size > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
    return fail(ErrorCode::kInvalidRequest,
                std::string(info.name) + " would have " + std::to_string(size) + " bytes, more than 2^31-1");
  out.patch_i32(0, static_cast<int32_t>(size));
  return out.take();
}

}  // namespace

Result<RequestHead> decode_request_header(Decoder& in) {
  Decoder peek = in;
  const int16_t key = peek.i16();
  const int16_t version = peek.i16();
  if (!peek.ok()) return fail(ErrorCode::kInvalidRequest, "a request of less than 4 bytes");
  const ApiInfo* api = find_api(key);
  if (!api || api->versions.empty())
    return fail(ErrorCode::kInvalidRequest, "no API has the key " + std::to_string(key));
  RequestHead head{api, {}};
  if (auto done = decode(in, request_header_version(*api, version), head.header); !done)
    return fail(ErrorCode::kInvalidRequest, std::move(done).error().message);
  return head;
}

Result<ResponseHeader> decode_response_header(Decoder& in, const ApiInfo& api, int16_t version) {
  ResponseHeader header;
  TRY(decode(in, response_header_version(api, version), header));
  return header;
}

Result<Encoded> encode_request(const MessageInfo& info, const void* body, int16_t version,
                               int32_t correlation_id, std::optional<std::string_view> client_id) {
  ASSERT(info.kind == MessageKind::kRequest);
  const RequestHeader header{.request_api_key = info.key,
                             .request_api_version = version,
                             .correlation_id = correlation_id,
                             .client_id = client_id};
  Encoder out;
  out.i32(0);
  encode(header, request_header_version(*find_api(info.key), version), out);
  encode(info, body, version, out);
  return finish(info, out);
}

Result<Encoded> encode_response(const MessageInfo& info, const void* body, int16_t version,
                                int32_t correlation_id) {
  ASSERT(info.kind == MessageKind::kResponse);
  Encoder out;
  out.i32(0);
  encode(ResponseHeader{.correlation_id = correlation_id},
         response_header_version(*find_api(info.key), version), out);
  encode(info, body, version, out);
  return finish(info, out);
}

Result<RecordFrame> decode_record_frame(Decoder& in) {
  const uint32_t frame = in.uvarint();
  const uint32_t type = in.uvarint();
  const uint32_t version = in.uvarint();
  if (!in.ok()) return fail(ErrorCode::kCorruptMessage, "a record ends within its frame");
  if (frame != kRecordFrameVersion)
    return fail(ErrorCode::kCorruptMessage,
                "a record has frame version " + std::to_string(frame) + " instead of 1");
  constexpr uint32_t kMost = std::numeric_limits<int16_t>::max();
  if (type > kMost || version > kMost)
    return fail(ErrorCode::kCorruptMessage, "a record has a type or version beyond 32767");
  return RecordFrame{static_cast<int16_t>(type), static_cast<int16_t>(version)};
}

void encode_record_frame(RecordFrame frame, Encoder& out) {
  out.uvarint(kRecordFrameVersion);
  out.uvarint(static_cast<uint32_t>(frame.type));
  out.uvarint(static_cast<uint32_t>(frame.version));
}

void encode_framed(const MessageInfo& info, const void* message, int16_t version, Encoder& out) {
  if (has_record_frame(info))
    encode_record_frame({info.key, version}, out);
  else if (info.kind == MessageKind::kCoordinatorKey)
    out.i16(info.key);
  else if (info.kind == MessageKind::kCoordinatorValue || info.version_prefix)
    out.i16(version);
  encode(info, message, version, out);
}

Result<int16_t> decode_framed(const MessageInfo& info, Decoder& in, void* message, int16_t version) {
  int16_t type = info.key;
  if (has_record_frame(info)) {
    TRY_ASSIGN(const RecordFrame frame, decode_record_frame(in));
    type = frame.type;
    version = frame.version;
  } else if (info.kind == MessageKind::kCoordinatorKey) {
    type = in.i16();
  } else if (info.kind == MessageKind::kCoordinatorValue || info.version_prefix) {
    version = in.i16();
  }
  if (!in.ok()) return fail(ErrorCode::kCorruptMessage, std::string(info.name) + " ends within its frame");
  if (type != info.key)
    return fail(ErrorCode::kCorruptMessage, std::string(info.name) + " has type " + std::to_string(info.key) +
                                                ", these bytes have " + std::to_string(type));
  TRY(decode(info, in, version, message));
  return version;
}

}  // namespace moldau::protocol
