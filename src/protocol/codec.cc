#include "protocol/codec.h"

#include "base/assert.h"
#include "protocol/table_codec.h"

namespace moldau::protocol {
namespace {

std::string title(const MessageInfo& info, int16_t version) {
  return std::string(info.name) + " version " + std::to_string(version);
}

}  // namespace

Status decode(const MessageInfo& info, Decoder& in, int16_t version, void* message, CodecKind codec) {
  if (!info.versions.contains(version))
    return fail(ErrorCode::kUnsupportedVersion, title(info, version) + " isn't one of " +
                                                    std::to_string(info.versions.first) + "-" +
                                                    std::to_string(info.versions.last));
  info.reset(message);
  const Decoder start = in;
  if (info.direct_decode && codec == CodecKind::kFastest) {
    info.direct_decode(in, version, message);
    if (in.ok()) [[likely]]
      return {};
    // Direct code doesn't know names; the tables meet the same error and say where.
    in = start;
    info.reset(message);
  }
  std::string where;
  if (decode_with_tables(info, in, version, message, where)) return {};
  const ErrorCode code =
      info.kind == MessageKind::kRequest ? ErrorCode::kInvalidRequest : ErrorCode::kCorruptMessage;
  return fail(code, title(info, version) + ", " + where + " of " +
                        std::to_string(start.position() + start.remaining()) + ": " + in.why());
}

void encode(const MessageInfo& info, const void* message, int16_t version, Encoder& out, CodecKind codec) {
  ASSERT(info.versions.contains(version), "a message is written in a version that it doesn't have");
  if (info.direct_encode && codec == CodecKind::kFastest)
    info.direct_encode(out, version, message);
  else
    encode_with_tables(info, message, version, out);
}

}  // namespace moldau::protocol
