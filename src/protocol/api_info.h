// What is known of each API: its versions, who may send it, which header goes with it.
//
// "Advertised" is what ApiVersions answers; Produce is advertised from 0 though 3 is the first that is spoken, because
// old librdkafka takes the absence of 0 for a broker without record batches (KAFKA-18659).
#pragma once
#include <span>
#include <string_view>

#include "protocol/api_keys.h"
#include "protocol/message.h"

namespace moldau::protocol {

enum class ListenerKind : uint8_t { kBroker, kController };

struct ApiInfo {
  ApiKey key;
  std::string_view name;        // Produce, as in messages' names
  std::string_view upper_name;  // PRODUCE, as Kafka's logs and tools say
  VersionRange versions;        // empty: removed, only the number is taken
  VersionRange flexible;
  VersionRange advertised;
  int16_t last_stable;  // versions beyond it are spoken only where unstable ones are enabled
  bool on_broker;
  bool on_controller;
  bool cluster_action;         // between nodes: needs ClusterAction on the cluster
  bool forwardable;            // a broker passes it on to the controller within an Envelope
  const MessageInfo* request;  // null: removed
  const MessageInfo* response;

  bool on(ListenerKind kind) const { return kind == ListenerKind::kBroker ? on_broker : on_controller; }
};

// By key, without gaps.
std::span<const ApiInfo> all_apis();
const ApiInfo* find_api(int16_t key);            // null: unknown
const ApiInfo* find_api(std::string_view name);  // Produce, produce, PRODUCE
const ApiInfo& api_info(ApiKey key);

// The range that ApiVersions answers; empty: this kind of listener doesn't have it.
VersionRange advertised_versions(const ApiInfo& api, ListenerKind kind, bool unstable_enabled);
// Whether a request of that version is served there.
bool is_served(const ApiInfo& api, int16_t version, ListenerKind kind, bool unstable_enabled);

// Versions of the headers, defined for versions that we don't know as well: the client may be ahead.
// A response to ApiVersions has header 0 always, so that a client can read it that can't know our versions yet (KIP-511).
int16_t request_header_version(const ApiInfo& api, int16_t version);
int16_t response_header_version(const ApiInfo& api, int16_t version);

}  // namespace moldau::protocol
