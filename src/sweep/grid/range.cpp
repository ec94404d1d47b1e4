#include "sweep/grid/range.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace spillway {
namespace {

// Whole numbers within these ends, and their sums, are exact in a double.
constexpr Range kEnd{.at_least = -1e15, .at_most = 1e15, .expected = "a number from -1e15 to 1e15"};
constexpr Range kFactor{.above = 1, .expected = "a number above 1"};
constexpr double kLargestExact = 9007199254740992;  // 2^53
constexpr int kMostDecimals = 15;

using ScaleWord = std::pair<std::string_view, SweepRange::Rule>;
constexpr std::array<ScaleWord, 2> kScales = {
    {{"linear", SweepRange::Rule::Linear}, {"log", SweepRange::Rule::Logarithmic}}};

bool multiplies(SweepRange::Rule rule) {
  return rule == SweepRange::Rule::Factor || rule == SweepRange::Rule::Logarithmic;
}

bool is_counted(SweepRange::Rule rule) {
  return rule == SweepRange::Rule::Linear || rule == SweepRange::Rule::Logarithmic;
}

// Returns the one key that gives the rule.
std::optional<std::string> read_rule(const Place& place, const Fields& fields) {
  std::string found;
  int rules = 0;
  for (const char* key : {"step", "factor", "count"}) {
    if (!fields.at(key)) continue;
    found += (rules++ == 0 ? "" : " and ") + std::string(key);
  }
  if (rules == 1) return found;
  place.findings->add(place.pointer, "one of step, factor and count", rules == 0 ? "none" : found);
  return std::nullopt;
}

bool has_sound_ends(const Fields& fields, const SweepRange& range) {
  bool sound = true;
  if (multiplies(range.rule) && range.from <= 0) {
    fields.at("from")->refuse("a number above 0, since it is multiplied");
    sound = false;
  }
  const bool single = range.from == range.to && !is_counted(range.rule);
  if (range.from < range.to || single) return sound;
  fields.at("to")->refuse((is_counted(range.rule) ? "a number above from, " : "a number of at least from, ") +
                          describe(*fields.at("from")->node));
  return false;
}

// The largest error of a whole number of steps that rounding of the ends and of the quotient causes.
double tolerance(double steps) {
  return 1e-9 + 4e-15 * steps;
}

// The number of steps from `from` to `to`, with a fraction.
double steps_of(const SweepRange& range) {
  if (range.rule == SweepRange::Rule::Step) return (range.to - range.from) / range.by;
  return (std::log(range.to) - std::log(range.from)) / std::log(range.by);
}

bool reaches_end(const SweepRange& range) {
  if (is_counted(range.rule)) return true;
  const double steps = steps_of(range);
  return std::abs(steps - std::round(steps)) <= tolerance(steps);
}

int decimals(double value) {
  std::array<char, 400> text{};  // the longest text of a double without an exponent
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
  const auto point = std::find(text.data(), end, '.');
  return point == end ? 0 : static_cast<int>(end - point) - 1;
}

// Rounds the sum to the decimals of its parts: 0.1 + 2 x 0.1 is 0.3.
double stepped(const SweepRange& range, double i) {
  const double sum = range.from + i * range.by;
  const int digits = std::max(decimals(range.from), decimals(range.by));
  const double scale = std::pow(10.0, digits);
  if (digits > kMostDecimals || std::abs(sum) * scale >= kLargestExact) return sum;
  return std::round(sum * scale) / scale + 0.0;  // avoids negative zero
}

// Rounds to the digits that every double keeps, so that powers and quotients have their usual short form.
double written(double value) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general,
                                 std::numeric_limits<double>::digits10)
                       .ptr;
  std::from_chars(text.data(), end, value);
  return value;
}

double number_at(const SweepRange& range, std::uint64_t index, std::uint64_t count) {
  const double i = static_cast<double>(index), last = static_cast<double>(count - 1);
  if (index == 0) return range.from;
  if (index + 1 == count && reaches_end(range)) return range.to;
  switch (range.rule) {
    case SweepRange::Rule::Step:
      return stepped(range, i);
    case SweepRange::Rule::Factor:
      return written(range.from * std::pow(range.by, i));
    case SweepRange::Rule::Linear:
      return written((range.from * (last - i) + range.to * i) / last);
    case SweepRange::Rule::Logarithmic:
      return written(range.from * std::pow(range.to / range.from, i / last));
  }
  return range.to;
}

Node node_of(double value, bool whole) {
  const double nearest = std::round(value);
  if (!whole || std::abs(value - nearest) > 1e-12 * std::abs(nearest)) return {value};
  if (nearest < 0) return {static_cast<std::int64_t>(nearest)};
  return {static_cast<std::uint64_t>(nearest)};
}

}  // namespace

std::optional<SweepRange> read_sweep_range(const Place& place) {
  const Fields fields(place, {"from", "to", "step", "factor", "count", "scale"});
  const auto read_end = [](const Place& p) { return read_number(p, kEnd); };
  const auto from = fields.need("from", read_end);
  const auto to = fields.need("to", read_end);
  const auto key = read_rule(place, fields);
  const auto step = fields.get("step", [](const Place& p) { return read_number(p, kPositive); });
  const auto factor = fields.get("factor", [](const Place& p) { return read_number(p, kFactor); });
  const auto count = fields.get(
      "count", [](const Place& p) { return read_whole(p, 2, std::numeric_limits<std::uint64_t>::max()); });
  if (!fields.at("count")) fields.forbid("scale", "no such key without count");
  const auto scale =
      fields.get("scale", [](const Place& p) { return read_choice<SweepRange::Rule>(p, kScales); });
  if (!from || !to || !key || (!step && !factor && !count)) return std::nullopt;
  const auto rule = step     ? SweepRange::Rule::Step
                    : factor ? SweepRange::Rule::Factor
                             : scale.value_or(SweepRange::Rule::Linear);
  const bool whole = !std::holds_alternative<double>(fields.at("from")->node->value);
  const SweepRange range{*from, *to, whole, rule, step ? *step : factor.value_or(0), count.value_or(0)};
  return has_sound_ends(fields, range) ? std::optional(range) : std::nullopt;
}

std::uint64_t length(const SweepRange& range) {
  if (is_counted(range.rule)) return range.count;
  const double steps = steps_of(range);
  const double numbers = std::floor(steps + tolerance(steps)) + 1;
  if (!(numbers < 0x1p64)) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(numbers);
}

std::vector<Node> values(const SweepRange& range) {
  const std::uint64_t count = length(range);
  std::vector<Node> all;
  all.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) all.push_back(node_of(number_at(range, i, count), range.whole));
  return all;
}

}  // namespace spillway
