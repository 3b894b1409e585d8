// What a command tells: fields and tables, printed for a person or as JSON. Both show the same.
#pragma once
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace moldau::cli {

enum class Format { kTable, kJson };

// One value in both forms.
struct Cell {
  std::string text, json;
  bool to_the_right = false;  // as numbers stand

  Cell();  // null; "-" for a person
  Cell(std::string_view value);
  Cell(const std::string& value) : Cell(std::string_view(value)) {}
  Cell(const char* value) : Cell(std::string_view(value)) {}
  Cell(int64_t value);
  Cell(int32_t value) : Cell(int64_t{value}) {}
  Cell(bool value);
  Cell(const std::vector<int32_t>& values);
  Cell(const std::vector<std::string>& values);
  template <class T>
  Cell(const std::optional<T>& value) : Cell(value ? Cell(*value) : Cell()) {}
};

struct Table {
  std::string name;                  // the member's, in JSON
  std::vector<std::string> columns;  // as JSON names them: underscores, small letters
  std::vector<std::vector<Cell>> rows;
};

// One thing, with its tables.
struct Description {
  struct Field {
    std::string name;
    Cell value;
  };
  std::vector<Field> fields;
  std::vector<Table> tables;
};

void print(std::ostream& out, Format format, const Table& table);              // JSON: an array of objects
void print(std::ostream& out, Format format, const Description& description);  // JSON: an object
void print(std::ostream& out, Format format, const std::vector<Description>& descriptions);  // JSON: an array

}  // namespace moldau::cli
