#include "protocol/decoder.h"

namespace moldau::protocol {

bool Decoder::affordable(size_t count, size_t least_bytes, size_t element_size) {
  if (count > kMaxArrayElements) return refuse("an array of more than 1,000,000 elements"), false;
  if (count * least_bytes > remaining())
    return refuse("an array that has more elements than the input has room for"), false;
  if (count * element_size > budget_)
    return refuse("the input would take more memory than 64 times its size"), false;
  budget_ -= count * element_size;
  return true;
}

}  // namespace moldau::protocol
