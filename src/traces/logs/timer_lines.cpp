#include "base/number.h"
#include "base/text.h"
#include "traces/logs/log_lines.h"

namespace spillway {
namespace timer_lines {
namespace {

constexpr double kMilli = 1e-3;

std::optional<Seconds> milliseconds_in(std::string_view text) {
  const auto value = number_from<double>(trimmed(text));
  return value ? std::optional(Seconds(*value * kMilli)) : std::nullopt;
}

// "(1.20, 3.40)"
std::optional<TimerValue> least_and_most(std::string_view name, std::string_view text) {
  const std::string_view inside = trimmed(text, " ()\t\r\n");
  const std::size_t comma = inside.find(',');
  if (comma == inside.npos) return std::nullopt;
  const auto least = milliseconds_in(inside.substr(0, comma)),
             most = milliseconds_in(inside.substr(comma + 1));
  return least && most ? std::optional(TimerValue{name, *least, *most}) : std::nullopt;
}

// "time (ms) | forward-compute: 58.16 | backward-compute: 42.66"
std::vector<TimerValue> old_line(std::string_view line) {
  std::vector<TimerValue> values;
  for (const std::string_view part : split(line, '|')) {
    const std::size_t colon = part.rfind(':');
    if (colon == part.npos) continue;
    const auto time = milliseconds_in(part.substr(colon + 1));
    if (time) values.push_back({trimmed(part.substr(0, colon)), *time, *time});
  }
  return values;
}

}  // namespace
}  // namespace timer_lines

std::vector<TimerValue> TimerLines::take(std::string_view line) {
  const std::size_t old = line.find("time (ms) |");
  if (old != line.npos) return block_ = Block::None, timer_lines::old_line(line.substr(old));
  if (line.find("across ranks (ms):") != line.npos) {
    const bool both = line.find("(min, max)") != line.npos;
    block_ = both ? Block::MinMax : line.find("max time") != line.npos ? Block::Max : Block::Ranks;
    return {};
  }
  if (block_ == Block::None) return {};
  std::vector<TimerValue> values = in_block(line);
  const bool heading = block_ == Block::Ranks && trimmed(line).ends_with(':');
  if (values.empty() && !heading) block_ = Block::None;
  return values;
}

// Names end with dots: "forward-compute ................................: (1.20, 3.40)".
std::vector<TimerValue> TimerLines::in_block(std::string_view line) {
  using namespace timer_lines;
  const std::size_t colon = line.rfind(':');
  if (colon == line.npos) return {};
  const std::string_view name = trimmed(line.substr(0, colon), " .\t");
  const std::string_view value = line.substr(colon + 1);
  if (block_ == Block::MinMax) {
    const auto both = least_and_most(name, value);
    return both ? std::vector{*both} : std::vector<TimerValue>();
  }
  const auto time = milliseconds_in(value);
  if (block_ == Block::Ranks && !time) return name_ = std::string(name), std::vector<TimerValue>();
  if (!time) return {};
  if (block_ == Block::Max) return {{name, *time, *time, {}, true}};
  const auto rank = rank_number(number_after(name, "rank"));
  if (!rank || name_.empty()) return {};
  return {{name_, *time, *time, *rank}};
}

}  // namespace spillway
