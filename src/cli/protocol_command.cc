#include "cli/protocol_command.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <vector>

#include "protocol/any_message.h"
#include "protocol/codec.h"
#include "protocol/frame.h"
#include "protocol/json.h"

namespace moldau::cli {
namespace {

using protocol::AnyMessage;
using protocol::MessageInfo;
using protocol::MessageKind;

struct Options {
  std::string kind, name;
  int16_t version = 0;
  bool framed = false;
  const MessageInfo* info = nullptr;
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return out;
}

std::string_view kind_name(MessageKind kind) {
  switch (kind) {
    case MessageKind::kRequest: return "request";
    case MessageKind::kResponse: return "response";
    case MessageKind::kHeader: return "header";
    case MessageKind::kData: return "data";
    default: return "record";
  }
}

// By its name, or by its name without the kind: ProduceRequest, Produce, produce.
const MessageInfo* find_message(std::string_view kind, std::string_view name) {
  const std::string wanted = lower(name);
  for (const MessageInfo* info : protocol::all_messages()) {
    const std::string full = lower(info->name);
    if (kind_name(info->kind) == kind && (full == wanted || full == wanted + std::string(kind))) return info;
  }
  return nullptr;
}

std::string versions_text(const MessageInfo& info) {
  const auto& v = info.versions;
  return v.first == v.last ? std::to_string(v.first) : std::to_string(v.first) + "-" + std::to_string(v.last);
}

Result<std::string> parse_hex(std::string_view hex) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  if (hex.size() % 2 != 0) return fail(ErrorCode::kInvalidRequest, "an odd number of hex digits");
  const std::string digits = lower(hex);
  for (size_t i = 0; i < digits.size(); i += 2) {
    const size_t high = kDigits.find(digits[i]);
    const size_t low = kDigits.find(digits[i + 1]);
    if (high == kDigits.npos || low == kDigits.npos)
      return fail(ErrorCode::kInvalidRequest,
                  "no hex digit at character " + std::to_string(high == kDigits.npos ? i + 1 : i + 2));
    out += static_cast<char>(high << 4 | low);
  }
  return out;
}

std::string hex_of(Bytes bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (uint8_t b : bytes) (out += kDigits[b >> 4]) += kDigits[b & 15];
  return out;
}

Result<std::string> decode_line(const Options& options, std::string_view line) {
  TRY_ASSIGN(const std::string bytes, parse_hex(line));
  protocol::Decoder in(as_bytes(bytes));
  AnyMessage message(*options.info);
  int16_t version = options.version;
  if (options.framed) {
    TRY_ASSIGN(version, protocol::decode_framed(*options.info, in, message.get(), version));
  } else {
    TRY(protocol::decode(*options.info, in, version, message.get()));
  }
  if (in.remaining() > 0)
    return fail(ErrorCode::kInvalidRequest, "bytes left over behind byte " + std::to_string(in.position()) +
                                                ": " + std::to_string(in.remaining()));
  return protocol::to_json(*options.info, message.get(), version);
}

Result<std::string> encode_line(const Options& options, std::string_view line) {
  AnyMessage message(*options.info);
  Arena arena;
  TRY(protocol::from_json(*options.info, line, message.get(), arena));
  TRY(protocol::check_encodable(*options.info, message.get(), options.version));
  protocol::Encoder out;
  if (options.framed)
    protocol::encode_framed(*options.info, message.get(), options.version, out);
  else
    protocol::encode(*options.info, message.get(), options.version, out);
  return hex_of(out.view());
}

using LineTask = std::function<Result<std::string>(std::string_view line)>;

int for_each_line(std::istream& in, std::ostream& out, std::ostream& err, const LineTask& task) {
  int worst = 0;
  std::string line;
  for (size_t number = 1; std::getline(in, line); ++number) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (const auto result = task(line)) {
      out << *result << '\n';
    } else {
      err << "line " << number << ": " << result.error().message << '\n';
      worst = 1;
    }
  }
  return worst;
}

int list(const std::string& kind, std::ostream& out) {
  for (const MessageInfo* info : protocol::all_messages())
    if (kind.empty() || kind == kind_name(info->kind))
      out << kind_name(info->kind) << ' ' << info->name << ' ' << versions_text(*info) << '\n';
  return 0;
}

// Finds the message, or says why there is none.
bool resolve(Options& options, std::ostream& err) {
  options.info = find_message(options.kind, options.name);
  if (!options.info) {
    err << "no " << options.kind << " is called " << options.name << "; `moldau protocol list "
        << options.kind << "` prints their names\n";
    return false;
  }
  if (options.info->versions.contains(options.version)) return true;
  err << options.info->name << " has no version " << options.version << ", only "
      << versions_text(*options.info) << '\n';
  return false;
}

CLI::App* add_codec_command(CLI::App& app, const char* name, const char* what, Options& options) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("KIND", options.kind, "what the lines hold")
      ->required()
      ->check(CLI::IsMember({"request", "response", "record", "header", "data"}));
  command->add_option("NAME", options.name, "of the message, for example Produce or PartitionRecord")
      ->required();
  command->add_option("VERSION", options.version, "of the message")->required();
  command->add_flag("--framed", options.framed,
                    "records and data with what stands in front of them where they are stored");
  return command;
}

}  // namespace

int run_protocol_command(std::span<const std::string> args, std::istream& in, std::ostream& out,
                         std::ostream& err) {
  CLI::App app(
      "Translates messages of the Kafka protocol between hex and JSON, one a line, from standard input to "
      "standard output.",
      "moldau protocol");
  app.require_subcommand(1);
  Options options;
  CLI::App* decode = add_codec_command(app, "decode", "hex lines to JSON lines", options);
  CLI::App* encode = add_codec_command(app, "encode", "JSON lines to hex lines", options);
  CLI::App* names = app.add_subcommand("list", "names and versions of the messages");
  names->add_option("KIND", options.kind, "only these")
      ->check(CLI::IsMember({"request", "response", "record", "header", "data"}));
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::ParseError& error) {
    return app.exit(error, out, err) == 0 ? 0 : 2;
  }
  if (names->parsed()) return list(options.kind, out);
  if (!resolve(options, err)) return 2;
  if (decode->parsed())
    return for_each_line(in, out, err, [&](std::string_view line) { return decode_line(options, line); });
  return encode->parsed()
             ? for_each_line(in, out, err, [&](std::string_view line) { return encode_line(options, line); })
             : 2;
}

}  // namespace moldau::cli
