#include "metadata/record_buffer.h"

#include "base/assert.h"
#include "protocol/frame.h"

namespace moldau {

void RecordBuffer::add(const protocol::MessageInfo& info, const void* record, int16_t version) {
  ASSERT(info.versions.contains(version), "a record version that the schema doesn't have");
  protocol::Encoder out;
  protocol::encode_framed(info, record, version, out);
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
