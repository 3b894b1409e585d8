// CRC-32C (Castagnoli), as record batches carry it.
#pragma once
#include <cstdint>

#include "base/bytes.h"

namespace moldau {

uint32_t crc32c(Bytes data);
// Continues a sum over the bytes that follow: crc32c(ab) == crc32c_extend(crc32c(a), b).
uint32_t crc32c_extend(uint32_t crc, Bytes data);

}  // namespace moldau
