#include "metrics/prometheus_text.h"

#include <charconv>
#include <cmath>

namespace moldau::metrics {
namespace {

template <class T>
void append_number(std::string& out, T v) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, v);
  out.append(text, end.ptr);
}

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
}

}  // namespace

void PrometheusText::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  ((out_ += "# HELP ") += name) += ' ';
  (out_ += help) += '\n';
  ((out_ += "# TYPE ") += name) += ' ';
  (out_ += type) += '\n';
}

void PrometheusText::sample_of(std::string_view labels, int64_t value) {
  ((out_ += name_) += labels) += ' ';
  append_number(out_, value);
  out_ += '\n';
}

PrometheusText::Sample PrometheusText::sample(std::string_view suffix) {
  (out_ += name_) += suffix;
  return Sample(out_);
}

PrometheusText::Sample& PrometheusText::Sample::label(std::string_view name, std::string_view value) {
  out_ += any_ ? ',' : '{';
  any_ = true;
  (out_ += name) += "=\"";
  append_escaped(out_, value);
  out_ += '"';
  return *this;
}

PrometheusText::Sample& PrometheusText::Sample::label(std::string_view name, int64_t value) {
  out_ += any_ ? ',' : '{';
  any_ = true;
  (out_ += name) += "=\"";
  append_number(out_, value);
  out_ += '"';
  return *this;
}

void PrometheusText::Sample::end_labels() {
  if (any_) out_ += '}';
  out_ += ' ';
}

void PrometheusText::Sample::value(uint64_t v) {
  end_labels();
  append_number(out_, v);
  out_ += '\n';
}

void PrometheusText::Sample::value(int64_t v) {
  end_labels();
  append_number(out_, v);
  out_ += '\n';
}

void PrometheusText::Sample::value(double v) {
  end_labels();
  if (std::isnan(v))
    out_ += "NaN";
  else if (std::isinf(v))
    out_ += v > 0 ? "+Inf" : "-Inf";
  else
    append_number(out_, v);
  out_ += '\n';
}

}  // namespace moldau::metrics
