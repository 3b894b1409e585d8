#include "cli/report.h"

#include <algorithm>
#include <ostream>

#include "protocol/json_value.h"

namespace moldau::cli {
namespace {

std::string quoted(std::string_view text) {
  std::string out;
  protocol::append_json_string(out, text);
  return out;
}

// Columns as people read them; whole lines have no blanks at their end.
std::string title(std::string_view name) {
  std::string out(name);
  for (char& c : out) c = c == '_' ? '-' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  return out;
}

// Bytes aren't columns, but what is shown is nearly always ASCII; continuation bytes take no room.
size_t width(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

void print_line(std::ostream& out, const std::vector<std::pair<std::string_view, bool>>& cells,
                const std::vector<size_t>& widths) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::string blanks(widths[i] - width(cells[i].first), ' ');
    if (cells[i].second) line += blanks;
    line += cells[i].first;
    if (!cells[i].second) line += blanks;
    line += "  ";
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

void print_text(std::ostream& out, const Table& table) {
  std::vector<size_t> widths;
  std::vector<std::string> titles;
  std::vector<std::pair<std::string_view, bool>> cells;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    titles.push_back(title(table.columns[c]));
    widths.push_back(titles[c].size());
    for (const auto& row : table.rows) widths[c] = std::max(widths[c], width(row[c].text));
  }
  for (size_t c = 0; c < titles.size(); ++c)
    cells.emplace_back(titles[c], !table.rows.empty() && table.rows.front()[c].to_the_right);
  print_line(out, cells, widths);
  for (const auto& row : table.rows) {
    cells.clear();
    for (const Cell& cell : row) cells.emplace_back(cell.text, cell.to_the_right);
    print_line(out, cells, widths);
  }
}

std::string json(const Table& table) {
  std::string out = "[";
  for (const auto& row : table.rows) {
    out += out.size() > 1 ? "," : "";
    for (size_t c = 0; c < row.size(); ++c)
      out += (c ? "," : "{") + quoted(table.columns[c]) + ":" + row[c].json;
    out += "}";
  }
  return out + "]";
}

std::string json(const Description& description) {
  std::string out = "{";
  const auto member = [&out](const std::string& name, const std::string& value) {
    out += (out.size() > 1 ? "," : "") + quoted(name) + ":" + value;
  };
  for (const auto& field : description.fields) member(field.name, field.value.json);
  for (const Table& table : description.tables) member(table.name, json(table));
  return out + "}";
}

void print_text(std::ostream& out, const Description& description) {
  size_t longest = 0;
  for (const auto& field : description.fields) longest = std::max(longest, field.name.size());
  for (const auto& field : description.fields) {
    std::string name = field.name;
    std::ranges::replace(name, '_', ' ');
    out << name << std::string(longest + 2 - name.size(), ' ') << field.value.text << '\n';
  }
  for (const Table& table : description.tables) {
    if (table.rows.empty()) continue;
    out << '\n';
    print_text(out, table);
  }
}

template <class T>
std::string list(const std::vector<T>& values, std::string_view open, std::string_view close, auto&& one) {
  std::string out(open);
  for (size_t i = 0; i < values.size(); ++i) out += (i ? "," : "") + one(values[i]);
  return out + std::string(close);
}

}  // namespace

Cell::Cell() : text("-"), json("null") {}
Cell::Cell(std::string_view value) : text(value), json(quoted(value)) {}
Cell::Cell(int64_t value) : text(std::to_string(value)), json(text), to_the_right(true) {}
Cell::Cell(bool value) : text(value ? "yes" : "no"), json(value ? "true" : "false") {}
Cell::Cell(const std::vector<int32_t>& values) {
  const auto one = [](int32_t v) { return std::to_string(v); };
  text = values.empty() ? "-" : list(values, "", "", one);
  json = list(values, "[", "]", one);
}
Cell::Cell(const std::vector<std::string>& values) {
  text = values.empty() ? "-" : list(values, "", "", [](const std::string& v) { return v; });
  json = list(values, "[", "]", [](const std::string& v) { return quoted(v); });
}

void print(std::ostream& out, Format format, const Table& table) {
  if (format == Format::kJson)
    out << json(table) << '\n';
  else
    print_text(out, table);
}

void print(std::ostream& out, Format format, const Description& description) {
  if (format == Format::kJson)
    out << json(description) << '\n';
  else
    print_text(out, description);
}

void print(std::ostream& out, Format format, const std::vector<Description>& descriptions) {
  if (format == Format::kJson) {
    out << list(descriptions, "[", "]\n", [](const Description& d) { return json(d); });
    return;
  }
  for (size_t i = 0; i < descriptions.size(); ++i) {
    if (i > 0) out << "\n\n";
    print_text(out, descriptions[i]);
  }
}

}  // namespace moldau::cli
