#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "traces/logs/log_lines.h"

namespace spillway {
namespace line_parts {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// "dddd-dd-dd dd:dd:dd", with T or a blank between.
bool is_stamp(std::string_view text) {
  constexpr std::string_view form = "0000-00-00 00:00:00";
  if (text.size() < form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool same = form[i] == '0' ? is_digit(text[i]) : text[i] == form[i] || (i == 10 && text[i] == 'T');
    if (!same) return false;
  }
  return true;
}

double part_of(std::string_view text, std::size_t at, std::size_t size) {
  return number_from<double>(text.substr(at, size)).value_or(0);
}

// Digits after "," or ".", as a share of a second.
double fraction_of(std::string_view text) {
  if (text.empty() || (text.front() != ',' && text.front() != '.')) return 0;
  double share = 0, unit = 0.1;
  for (std::size_t i = 1; i < text.size() && is_digit(text[i]); ++i, unit /= 10)
    share += unit * (text[i] - '0');
  return share;
}

Seconds seconds_at(std::string_view text) {
  using namespace std::chrono;
  const auto whole = [&](std::size_t at, std::size_t size) {
    return static_cast<int>(part_of(text, at, size));
  };
  const auto month_of = static_cast<unsigned>(whole(5, 2)), day_of = static_cast<unsigned>(whole(8, 2));
  const sys_days days(year(whole(0, 4)) / month(month_of) / day(day_of));
  const double midnight = static_cast<double>(days.time_since_epoch().count()) * 86400;
  return Seconds(midnight + part_of(text, 11, 2) * 3600 + part_of(text, 14, 2) * 60 + part_of(text, 17, 2) +
                 fraction_of(text.substr(19)));
}

}  // namespace
}  // namespace line_parts

std::optional<Seconds> time_stamp(std::string_view line) {
  constexpr std::size_t kSize = 19;
  for (std::size_t at = 0; at + kSize <= line.size(); ++at)
    if (line_parts::is_stamp(line.substr(at))) return line_parts::seconds_at(line.substr(at));
  return std::nullopt;
}

std::string without_colours(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\x1b') {
      text += line[i];
      continue;
    }
    while (i < line.size() && line[i] != 'm') ++i;
  }
  return text;
}

std::optional<double> number_after(std::string_view line, std::string_view key) {
  const std::size_t found = line.find(key);
  if (found == line.npos) return std::nullopt;
  std::string_view rest = trimmed(line.substr(found + key.size()));
  std::string digits;
  for (const char c : rest) {
    if (c == ',') continue;
    if (!line_parts::is_digit(c) && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E') break;
    digits += c;
  }
  return number_from<double>(digits);
}

std::optional<std::uint64_t> whole_of(std::optional<double> number) {
  constexpr double kMost = 9007199254740992;  // 2^53
  const bool fits = number && *number >= 0 && *number <= kMost && *number == std::floor(*number);
  return fits ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

std::optional<std::uint32_t> rank_number(std::optional<double> number) {
  constexpr std::uint64_t kMost = 1U << 31;
  const auto whole = whole_of(number);
  return whole && *whole < kMost ? std::optional(static_cast<std::uint32_t>(*whole)) : std::nullopt;
}

std::optional<double> positive_in(std::string_view text) {
  const auto value = number_from<double>(text);
  return value && std::isfinite(*value) && *value > 0 ? value : std::nullopt;
}

std::optional<double> seconds_of_unit(std::string_view unit) {
  constexpr std::array<std::string_view, 5> seconds = {"s", "sec", "secs", "second", "seconds"};
  constexpr double kMilli = 1e-3;
  if (std::ranges::find(seconds, unit) != seconds.end()) return 1;
  return unit == "ms" ? std::optional(kMilli) : std::nullopt;
}

}  // namespace spillway
