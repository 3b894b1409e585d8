// The door to all messages: decode, encode, compare. Hot messages have code of their own behind it, all others go
// through the tables; the bytes are the same.
//
//   Decoder in(frame);
//   ProduceRequest request;
//   TRY(decode(in, version, request));   // in.remaining() > 0: bytes after the body, which Kafka ignores
//
//   Encoder out;
//   encode(response, version, out);      // version must be one of T::kVersions
//   Encoded encoded = out.take();
#pragma once
#include <string>

#include "base/result.h"
#include "protocol/decoder.h"
#include "protocol/encoder.h"
#include "protocol/message.h"

namespace moldau::protocol {

// Which code does the work; the tables can do all messages.
enum class CodecKind : uint8_t { kFastest, kTables };

// By description. `message` points at a struct of the type that `info` describes.
// Errors: UNSUPPORTED_VERSION; INVALID_REQUEST or, for what isn't a request, CORRUPT_MESSAGE, with the field and the
// byte. After an error the struct's content is unspecified.
Status decode(const MessageInfo& info, Decoder& in, int16_t version, void* message,
              CodecKind codec = CodecKind::kFastest);
void encode(const MessageInfo& info, const void* message, int16_t version, Encoder& out,
            CodecKind codec = CodecKind::kFastest);

// Whether the version can carry the message: a field that it lacks has its default or is ignorable, no null stands
// where it has none, strings are short enough. Error: INVALID_REQUEST with the field. encode() doesn't ask: it drops
// such values, and writes empty ones for such nulls.
Status check_encodable(const MessageInfo& info, const void* message, int16_t version);

bool same_value(const StructInfo& structure, const void* a, const void* b);

template <Message T>
Status decode(Decoder& in, int16_t version, T& out) {
  return decode(T::kInfo, in, version, &out);
}

template <Message T>
void encode(const T& message, int16_t version, Encoder& out) {
  encode(T::kInfo, &message, version, out);
}

template <Message T>
Status check_encodable(const T& message, int16_t version) {
  return check_encodable(T::kInfo, &message, version);
}

// All fields, by value: views compare by their bytes, external records by token and size.
template <Message T>
bool operator==(const T& a, const T& b) {
  return same_value(*T::kInfo.root, &a, &b);
}

}  // namespace moldau::protocol
