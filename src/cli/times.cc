#include "cli/times.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>

namespace moldau::cli {
namespace {

// Takes what is expected from the front of a text, or fails for good.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}
  bool ok() const { return ok_; }
  bool finished() const { return ok_ && rest_.empty(); }
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool take(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) { ok_ = ok_ && take(c); }
  int number(size_t digits) {  // exactly so many
    int value = 0;
    if (rest_.size() < digits) return ok_ = false, 0;
    const auto end = std::from_chars(rest_.data(), rest_.data() + digits, value);
    ok_ = ok_ && end.ec == std::errc() && end.ptr == rest_.data() + digits && rest_.front() != '-';
    rest_.remove_prefix(digits);
    return value;
  }
  double decimal() {
    double value = 0;
    const auto end =
        std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, std::chars_format::fixed);
    ok_ = ok_ && end.ec == std::errc();
    if (ok_) rest_.remove_prefix(static_cast<size_t>(end.ptr - rest_.data()));
    return value;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// `.5`: milliseconds; further digits are dropped.
int fraction_ms(Scanner& in) {
  int ms = 0;
  if (!in.take('.')) return 0;
  for (int scale = 100; in.peek() >= '0' && in.peek() <= '9'; scale /= 10) ms += scale * in.number(1);
  return ms;
}

int64_t zone_ms(Scanner& in) {
  if (in.take('Z') || in.peek() == '\0') return 0;
  const bool west = in.take('-');
  if (!west) in.expect('+');
  const int hours = in.number(2);
  in.take(':');
  const int minutes = in.peek() == '\0' ? 0 : in.number(2);
  return (west ? -1 : 1) * (hours * 60 + minutes) * int64_t{60'000};
}

}  // namespace

std::optional<WallMs> parse_time(std::string_view text) {
  WallMs ms = 0;
  const auto number = std::from_chars(text.data(), text.data() + text.size(), ms);
  if (number.ec == std::errc() && number.ptr == text.data() + text.size() && ms >= 0) return ms;
  Scanner in(text);
  const int year = in.number(4);
  in.expect('-');
  const int month = in.number(2);
  in.expect('-');
  const int day = in.number(2);
  int hour = 0, minute = 0, second = 0, milli = 0;
  int64_t zone = 0;
  if (in.take('T') || in.take(' ')) {
    hour = in.number(2);
    in.expect(':');
    minute = in.number(2);
    if (in.take(':')) second = in.number(2), milli = fraction_ms(in);
    zone = zone_ms(in);
  }
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!in.finished() || !date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const int64_t days = sys_days(date).time_since_epoch().count();
  return ((days * 24 + hour) * 60 + minute) * 60'000 + second * 1000 + milli - zone;
}

std::optional<int64_t> parse_duration_ms(std::string_view text) {
  struct Unit {
    char name;
    bool of_time;  // behind T
    int64_t ms;
  };
  constexpr Unit kUnits[] = {{'W', false, 604'800'000},
                             {'D', false, 86'400'000},
                             {'H', true, 3'600'000},
                             {'M', true, 60'000},
                             {'S', true, 1000}};
  Scanner in(text);
  in.expect('P');
  bool of_time = false;
  double total = 0;
  size_t next = 0;  // units come in this order
  if (in.finished()) return std::nullopt;
  while (in.ok() && !in.finished()) {
    if (!of_time && in.take('T')) {
      of_time = true;
      if (in.finished()) return std::nullopt;
    }
    const double value = in.decimal();
    bool found = false;
    for (size_t i = next; i < std::size(kUnits) && !found; ++i) {
      if (kUnits[i].of_time != of_time || !in.take(kUnits[i].name)) continue;
      total += value * static_cast<double>(kUnits[i].ms);
      next = i + 1;
      found = true;
    }
    if (!found) return std::nullopt;
  }
  if (!in.ok() || total < 0 || total > 9e15) return std::nullopt;
  return static_cast<int64_t>(total + 0.5);
}

std::string time_text(WallMs time) {
  if (time < 0) return "-";
  using namespace std::chrono;
  const sys_time<milliseconds> at{milliseconds(time)};
  const auto day = floor<days>(at);
  const year_month_day date(day);
  const hh_mm_ss clock(at - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

}  // namespace moldau::cli
