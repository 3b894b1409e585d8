#include "base/crc32c.h"

#include <isa-l/crc.h>

namespace moldau {

uint32_t crc32c_extend(uint32_t crc, Bytes data) {
  // ISA-L takes an int length and neither pre- nor post-conditions the register.
  uint32_t reg = ~crc;
  while (!data.empty()) {
    const size_t n = data.size() < (1u << 30) ? data.size() : (1u << 30);
    reg = crc32_iscsi(const_cast<unsigned char*>(data.data()), static_cast<int>(n), reg);
    data = data.subspan(n);
  }
  return ~reg;
}

uint32_t crc32c(Bytes data) {
  return crc32c_extend(0, data);
}

}  // namespace moldau
