// `moldau protocol`: messages between bytes and JSON, for people who read captures and for tests.
//
//   moldau protocol decode request Produce 9        hex lines on stdin, one JSON line each on stdout
//   moldau protocol encode record PartitionRecord 1 JSON lines on stdin, one hex line each on stdout
//   moldau protocol list [request|response|record|header|data]
//
// A line is a message's body; with --framed, records and data as they are stored, with their frame in front.
#pragma once
#include <iosfwd>
#include <span>
#include <string>

namespace moldau::cli {

// `args` are those behind "protocol". 0: all lines were right; 1: some weren't, each named on `err` by its number with
// the reason, the others were done; 2: the command itself is wrong.
int run_protocol_command(std::span<const std::string> args, std::istream& in, std::ostream& out,
                         std::ostream& err);

}  // namespace moldau::cli
