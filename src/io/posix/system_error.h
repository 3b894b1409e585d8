// From errno to IoError.
#pragma once
#include <string>

#include "io/io_error.h"

namespace moldau::io {

IoError::Kind kind_of(int error);
// "what: the system's reason"
std::unexpected<IoError> system_error(int error, const std::string& what);

}  // namespace moldau::io
