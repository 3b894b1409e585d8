// The end of a transaction, as a log that a coordinator loads has it.
#pragma once
#include <optional>

#include "base/bytes.h"

namespace moldau {

// Of a control record: whether the transaction was committed; nullopt: it is something else.
std::optional<bool> committed_by(Bytes key, Bytes value);

}  // namespace moldau
