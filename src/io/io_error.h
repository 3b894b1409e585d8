// IoError: what went wrong on a disk or a network, in the few kinds that callers act on differently.
#pragma once
#include <expected>
#include <string>

#include "base/result.h"

namespace moldau::io {

struct IoError {
  enum class Kind {
    kNotFound,  // no such file or directory
    kExists,    // already there, or a directory that isn't empty
    kNoSpace,   // the disk or the quota is full: may heal
    kBusy,      // locked by another process, or the address is in use
    kRefused,   // nobody listens there, or the peer isn't reachable
    kClosed,    // the peer closed or reset the connection
    kTooMany,   // out of descriptors
    kDenied,    // no permission, or a directory where a file is meant
    kFailed,    // anything else: treat the device as broken
  };
  Kind kind = Kind::kFailed;
  std::string message;  // names the path or address and the system's reason

  Error to_error(ErrorCode code = ErrorCode::kKafkaStorageError) && {
    return Error{code, std::move(message)};
  }
};

template <class T>
using IoResult = std::expected<T, IoError>;
using IoStatus = IoResult<void>;

}  // namespace moldau::io
