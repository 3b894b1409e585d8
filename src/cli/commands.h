// What each client command can do; the frame is in client_command.h.
#pragma once
#include "cli/command_line.h"

namespace moldau::cli {

void add_topic_actions(CommandLine& line);
void add_config_actions(CommandLine& line);
void add_group_actions(CommandLine& line);
void add_produce_action(CommandLine& line);
void add_consume_action(CommandLine& line);
void add_cluster_actions(CommandLine& line);

}  // namespace moldau::cli
