#include "metadata/record_buffer.h"

#include <span>

#include "base/assert.h"
#include "protocol/message.h"

namespace moldau {
namespace {

constexpr uint32_t kFrameVersion = 1;

const protocol::MessageInfo* find_record(int16_t type) {
  for (const protocol::MessageInfo* info : protocol::all_messages())
    if (info->kind == protocol::MessageKind::kMetadataRecord && info->key == type) return info;
  return nullptr;
}

}  // namespace

std::string record_type_name(int16_t type) {
  const protocol::MessageInfo* info = find_record(type);
  if (!info) return "record type " + std::to_string(type);
  std::string name;  // RegisterBrokerRecord -> REGISTER_BROKER_RECORD
  for (const char* c = info->name; *c; ++c) {
    const bool upper = *c >= 'A' && *c <= 'Z';
    if (upper && !name.empty()) name += '_';
    name += upper ? *c : static_cast<char>(*c - 'a' + 'A');
  }
  return name;
}

Result<RecordFrame> parse_record_frame(Bytes record) {
  Reader in(record);
  const uint32_t frame_version = in.uvarint();
  const uint32_t type = in.uvarint();
  const uint32_t version = in.uvarint();
  if (!in.ok())
    return fail(ErrorCode::kInvalidRecord,
                "a metadata record of " + std::to_string(record.size()) + " bytes has no frame");
  if (frame_version != kFrameVersion)
    return fail(ErrorCode::kInvalidRecord,
                "a metadata record has frame version " + std::to_string(frame_version) + ", known is 1");
  if (type > INT16_MAX || version > INT16_MAX)
    return fail(ErrorCode::kInvalidRecord,
                "a metadata record has type " + std::to_string(type) + " version " + std::to_string(version));
  return RecordFrame{static_cast<protocol::MetadataRecordType>(type), static_cast<int16_t>(version),
                     in.bytes(in.remaining())};
}

void RecordBuffer::add(const protocol::MessageInfo& info, const void* record, int16_t version) {
  ASSERT(info.versions.contains(version), "a record version that the schema doesn't have");
  protocol::Encoder out;
  out.uvarint(kFrameVersion);
  out.uvarint(static_cast<uint32_t>(info.key));
  out.uvarint(static_cast<uint32_t>(version));
  protocol::encode(info, record, version, out);
  add_framed(out.view());
}

void RecordBuffer::add_framed(Bytes record) {
  bytes_.append(as_text(record));
  ends_.push_back(bytes_.size());
}

void RecordBuffer::shrink_to(size_t size) {
  if (size >= ends_.size()) return;
  ends_.resize(size);
  bytes_.resize(size ? ends_.back() : 0);
}

}  // namespace moldau
