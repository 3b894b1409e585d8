#include "protocol/metadata_record.h"

#include "protocol/frame.h"

namespace moldau::protocol {
namespace {

using DecodeRecord = Status (*)(Decoder&, int16_t version, MetadataRecord&);

template <class T>
Status decode_as(Decoder& in, int16_t version, MetadataRecord& out) {
  return decode(in, version, out.emplace<T>());
}

template <class... T>
DecodeRecord decoder_of(int16_t type, std::variant<T...>*) {
  DecodeRecord found = nullptr;
  ((static_cast<int16_t>(T::kType) == type ? void(found = decode_as<T>) : void()), ...);
  return found;
}

}  // namespace

Result<VersionedRecord> decode_metadata_record(Bytes value) {
  Decoder in(value);
  TRY_ASSIGN(const RecordFrame frame, decode_record_frame(in));
  const DecodeRecord decode = decoder_of(frame.type, static_cast<MetadataRecord*>(nullptr));
  if (!decode)
    return fail(ErrorCode::kUnsupportedVersion,
                "unknown type " + std::to_string(frame.type) + " of a metadata record");
  VersionedRecord out{{}, frame.version};
  TRY(decode(in, frame.version, out.record));
  if (in.remaining() > 0)
    return fail(ErrorCode::kCorruptMessage,
                "a metadata record has " + std::to_string(in.remaining()) + " bytes too many");
  return out;
}

void encode_metadata_record(const MetadataRecord& record, int16_t version, Encoder& out) {
  std::visit([&](const auto& r) { encode_framed(r, version, out); }, record);
}

}  // namespace moldau::protocol
