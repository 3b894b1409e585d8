#include "io/posix/system_error.h"

#include <cerrno>
#include <cstring>

namespace moldau::io {

IoError::Kind kind_of(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR: return IoError::Kind::kNotFound;
    case EEXIST:
    case ENOTEMPTY: return IoError::Kind::kExists;
    case ENOSPC:
    case EDQUOT: return IoError::Kind::kNoSpace;
    case EBUSY:
    case EADDRINUSE: return IoError::Kind::kBusy;
    case ECONNREFUSED:
    case ENETUNREACH:
    case ENETDOWN:
    case EHOSTUNREACH:
    case EHOSTDOWN: return IoError::Kind::kRefused;
    case EPIPE:
    case ECONNRESET:
    case ECONNABORTED:
    case ENOTCONN:
    case ESHUTDOWN:
    case ETIMEDOUT: return IoError::Kind::kClosed;
    case EMFILE:
    case ENFILE: return IoError::Kind::kTooMany;
    case EACCES:
    case EPERM:
    case EBADF:  // writing through a handle that only reads
    case EISDIR:
    case EADDRNOTAVAIL: return IoError::Kind::kDenied;
    default: return IoError::Kind::kFailed;  // EROFS too: a disk that broke is often remounted so
  }
}

std::unexpected<IoError> system_error(int error, const std::string& what) {
  char buffer[128];
  return std::unexpected(IoError{kind_of(error), what + ": " + ::strerror_r(error, buffer, sizeof buffer)});
}

}  // namespace moldau::io
