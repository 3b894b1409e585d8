// For tests: a call that a port was asked to make for somebody, until the test answers it.
#pragma once
#include <string>

#include "ports/controller.h"

namespace moldau::api::testing {

template <class Caller, class Request, class Response>
struct Asked {
  Caller caller;
  ports::Kept<Request> request;
  ports::Answer<Response> answer;
  // On the caller's lane, when the runtime settles.
  void succeed(Response response) {
    caller.lane->post([answer = std::move(answer),
                       kept = ports::Kept<Response>{std::move(response), request.frame, {}}]() mutable {
      answer(std::move(kept));
    });
  }
  void refuse(ErrorCode error, std::string message = {}) {
    caller.lane->post([answer = std::move(answer), error, message = std::move(message)]() mutable {
      answer(fail(error, std::move(message)));
    });
  }
};

}  // namespace moldau::api::testing
