// What a consumer says in its JoinGroup about the topics that it consumes: the consumer protocol's Subscription, which is
// opaque to the classic protocol. The coordinator looks at it only to know which offsets somebody still needs.
#pragma once
#include <set>
#include <string>

#include "base/bytes.h"

namespace moldau {

// Every version begins like version 0, and is read like it. False: this isn't one.
bool add_subscribed_topics(Bytes metadata, std::set<std::string, std::less<>>& topics);

}  // namespace moldau
