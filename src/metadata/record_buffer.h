// RecordBuffer: metadata records as their log has them (protocol/frame.h), one behind the other in one block.
#pragma once
#include <string>
#include <vector>

#include "base/bytes.h"
#include "protocol/message.h"

namespace moldau {

class RecordBuffer {
 public:
  template <class Record>
  void add(const Record& record, int16_t version) {
    add(Record::kInfo, &record, version);
  }
  void add_framed(Bytes record);  // as another buffer or a log has it

  size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  size_t bytes() const { return bytes_.size(); }
  Bytes operator[](size_t i) const {
    const size_t begin = i ? ends_[i - 1] : 0;
    return as_bytes(bytes_).subspan(begin, ends_[i] - begin);
  }
  void clear() { bytes_.clear(), ends_.clear(); }
  // Drops what was added since the buffer had this size.
  void shrink_to(size_t size);

 private:
  void add(const protocol::MessageInfo& info, const void* record, int16_t version);

  std::string bytes_;
  std::vector<size_t> ends_;
};

}  // namespace moldau
