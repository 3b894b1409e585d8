#include "api/groups/find_coordinator.h"

#include "api/services.h"
#include "api/waiting_call.h"
#include "base/java_text.h"
#include "protocol/messages/find_coordinator.h"

namespace moldau::api {
namespace {

using protocol::FindCoordinatorRequest;
using protocol::FindCoordinatorResponse;

enum class KeyType : int8_t { kGroup = 0, kTransaction = 1, kShare = 2 };

constexpr int16_t kFirstWithSeveralKeys = 4;  // KIP-699
constexpr std::string_view kOffsetsTopic = "__consumer_offsets";
constexpr Duration kCreationWait = std::chrono::seconds(5);

struct Found {
  ErrorCode error = ErrorCode::kNone;
  BrokerId node = kNoBroker;
  const RegisteredListener* at = nullptr;
};

Found find_group(const ClusterImage& image, std::string_view listener, std::string_view group) {
  const Found unavailable{ErrorCode::kCoordinatorNotAvailable};
  const TopicImage* topic = image.topic(kOffsetsTopic);
  if (!topic || topic->partitions.empty()) return unavailable;
  const PartitionId index(coordinator_partition(group, static_cast<int32_t>(topic->partitions.size())));
  const PartitionRegistration* partition = topic->partition(index);
  const BrokerRegistration* broker = partition ? image.broker(partition->leader) : nullptr;
  if (!broker || broker->fenced) return unavailable;
  const RegisteredListener* at = broker->listener(listener);
  return at ? Found{ErrorCode::kNone, partition->leader, at} : unavailable;
}

Found find(const ClusterImage& image, std::string_view listener, int8_t type, std::string_view key) {
  switch (static_cast<KeyType>(type)) {
    case KeyType::kGroup: return find_group(image, listener, key);
    case KeyType::kTransaction: return {ErrorCode::kCoordinatorNotAvailable};
    default: return {ErrorCode::kInvalidRequest};
  }
}

// Whatever has a node, a host, a port and an error.
template <class Place>
void fill(Place& place, const Found& found) {
  place.error_code = static_cast<int16_t>(found.error);
  place.node_id = found.node.value;
  place.port = -1;
  if (!found.at) return;
  place.host = found.at->host;
  place.port = found.at->port;
}

void answer(Services& services, Call& call, int8_t type, const std::vector<std::string>& keys) {
  const ClusterImage& image = services.image(call.lane());
  const std::string& listener = call.peer().listener;
  FindCoordinatorResponse response;
  if (call.version() < kFirstWithSeveralKeys) {
    fill(response, find(image, listener, type, keys.front()));
    response.error_message = error_name(static_cast<ErrorCode>(response.error_code));
  } else {
    for (const std::string& key : keys) {
      auto& place = response.coordinators.emplace_back();
      place.key = key;
      fill(place, find(image, listener, type, key));
    }
  }
  call.reply(response);
}

}  // namespace

void handle_find_coordinator(Services& services, Call call) {
  const auto request = call.decode<FindCoordinatorRequest>();
  if (!request) return;
  std::vector<std::string> keys;
  if (call.version() < kFirstWithSeveralKeys)
    keys.emplace_back(request->key);
  else
    keys.assign(request->coordinator_keys.begin(), request->coordinator_keys.end());
  const int8_t type = request->key_type;
  io::Lane& lane = call.lane();
  if (type != static_cast<int8_t>(KeyType::kGroup) || keys.empty() ||
      services.image(lane).topic(kOffsetsTopic))
    return answer(services, call, type, keys);

  auto respond = [&services, type, keys = std::move(keys)](Call& open) {
    answer(services, open, type, keys);
  };
  auto waiting = WaitingCall::start(std::move(call), kCreationWait, respond);
  create_missing_topics(services, lane, {kOffsetsTopic}, [waiting, respond = std::move(respond)] {
    if (Call* open = waiting->settle()) respond(*open);
  });
}

}  // namespace moldau::api
