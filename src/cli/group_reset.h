// `moldau group reset-offsets`: where a group is to go on reading.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "cli/client/groups.h"
#include "cli/client/topics.h"
#include "cli/command_line.h"

namespace moldau::cli {

void add_reset_offsets(CommandLine& line);

// The partitions that texts like `orders` or `orders:0,1` name. They exist.
Result<std::map<TopicPartitionName, PartitionInfo>> named_partitions(Cluster& cluster,
                                                                     const std::vector<std::string>& texts);

}  // namespace moldau::cli
