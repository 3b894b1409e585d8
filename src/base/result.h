// Result<T>: a value, or an error that says which Kafka code a client gets and one sentence for a person.
// Crosses every folder edge instead of exceptions.
#pragma once
#include <expected>
#include <string>
#include <utility>

#include "base/error_code.h"

namespace moldau {

struct Error {
  ErrorCode code = ErrorCode::kUnknownServerError;
  std::string message;  // names the thing, the value, the reason and, for an operator, the way out
};

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message = {}) {
  return std::unexpected<Error>(Error{code, std::move(message)});
}

}  // namespace moldau

// Evaluates a Result; on error returns it from the enclosing function, otherwise binds or discards the value.
#define MOLDAU_CONCAT_(a, b) a##b
#define MOLDAU_CONCAT(a, b) MOLDAU_CONCAT_(a, b)
#define TRY(expr)                                               \
  do {                                                          \
    if (auto&& try_result_ = (expr); !try_result_) [[unlikely]] \
      return std::unexpected(std::move(try_result_).error());   \
  } while (false)
#define TRY_ASSIGN(lhs, expr) TRY_ASSIGN_(MOLDAU_CONCAT(try_value_, __LINE__), lhs, expr)
#define TRY_ASSIGN_(tmp, lhs, expr)                 \
  auto&& tmp = (expr);                              \
  if (!tmp) [[unlikely]]                            \
    return std::unexpected(std::move(tmp).error()); \
  lhs = *std::move(tmp)
