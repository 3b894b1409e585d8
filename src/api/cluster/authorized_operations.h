// Which operations a client may perform on a resource, as bits by the operation's number (KIP-430). Without
// an authorizer these are all that the kind of resource knows.
#pragma once
#include <cstdint>
#include <initializer_list>

namespace moldau::api {

enum class AclOperation : int8_t {
  kRead = 3,
  kWrite = 4,
  kCreate = 5,
  kDelete = 6,
  kAlter = 7,
  kDescribe = 8,
  kClusterAction = 9,
  kDescribeConfigs = 10,
  kAlterConfigs = 11,
  kIdempotentWrite = 12,
};

constexpr int32_t bits(std::initializer_list<AclOperation> operations) {
  int32_t all = 0;
  for (AclOperation operation : operations) all |= 1 << static_cast<int>(operation);
  return all;
}

inline constexpr int32_t kTopicOperations =
    bits({AclOperation::kRead, AclOperation::kWrite, AclOperation::kCreate, AclOperation::kDelete,
          AclOperation::kAlter, AclOperation::kDescribe, AclOperation::kDescribeConfigs,
          AclOperation::kAlterConfigs});
inline constexpr int32_t kGroupOperations =
    bits({AclOperation::kRead, AclOperation::kDelete, AclOperation::kDescribe, AclOperation::kDescribeConfigs,
          AclOperation::kAlterConfigs});
inline constexpr int32_t kClusterOperations =
    bits({AclOperation::kCreate, AclOperation::kAlter, AclOperation::kDescribe, AclOperation::kClusterAction,
          AclOperation::kDescribeConfigs, AclOperation::kAlterConfigs, AclOperation::kIdempotentWrite});

}  // namespace moldau::api
