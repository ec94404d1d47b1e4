#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/node.h"
#include "traces/logs/log_lines.h"

namespace spillway {
namespace json_lines {
namespace {

using LoggedObject = nlohmann::json;

constexpr std::array<std::string_view, 5> kNumberKeys = {"step", "iteration", "global_step", "iter", "_step"};
// Of a step's time, before its unit: step_time_s, iteration_time_ms, "train_step_timing in s".
constexpr std::array<std::string_view, 9> kTimeKeys = {"step",
                                                       "step_time",
                                                       "iteration_time",
                                                       "time_per_step",
                                                       "time_per_iteration",
                                                       "train_step_time",
                                                       "train_step_timing",
                                                       "step_duration",
                                                       "time_metrics/end_to_end"};

struct TimeKey {
  std::string_view base;
  std::string_view unit;  // empty if the key has none
};

// "step_time_ms", "end_to_end(s)", "train_step_timing in s"
TimeKey parts_of(std::string_view key) {
  const std::size_t between = key.find_last_of("_( ");
  if (between == key.npos) return {key, ""};
  const std::string_view unit = trimmed(key.substr(between + 1), " )");
  std::string_view base = trimmed(key.substr(0, between), " _(");
  if (base.ends_with(" in")) base.remove_suffix(3);
  return {base, unit};
}

bool is_key_of_time(std::string_view base) {
  return std::ranges::find(kTimeKeys, base) != kTimeKeys.end();
}

std::optional<double> number_of(const LoggedObject& object, std::string_view key) {
  const auto found = object.find(std::string(key));
  return found != object.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

void set_time(const std::string& key, double value, StepLine& step) {
  const TimeKey parts = parts_of(key);
  const auto unit = is_key_of_time(parts.base) ? seconds_of_unit(parts.unit) : std::nullopt;
  if (!unit) {
    step.refused_expected = "a time with its unit, s or ms, such as \"step_time_s\"";
    step.refused_found = "the key \"" + key + '"';
  } else if (!(value > 0) || !std::isfinite(value)) {
    step.refused_expected = "a time above 0";
    step.refused_found = describe({value});
  } else {
    step.time = Seconds(value * *unit);
  }
}

// Units that are refused, because nobody logs steps in them by intention.
bool is_other_unit(std::string_view unit) {
  constexpr std::array<std::string_view, 6> units = {"us", "ns", "min", "minutes", "h", "hours"};
  return std::ranges::find(units, unit) != units.end();
}

bool names_a_time(const std::string& key) {
  const bool is_number = std::ranges::find(kNumberKeys, key) != kNumberKeys.end();
  const TimeKey parts = parts_of(key);
  const bool has_unit = seconds_of_unit(parts.unit) || is_other_unit(parts.unit);
  return !is_number && (is_key_of_time(key) || (is_key_of_time(parts.base) && has_unit));
}

}  // namespace
}  // namespace json_lines

std::optional<StepLine> json_step_line(std::string_view line) {
  using namespace json_lines;
  line = trimmed(line);
  if (!line.starts_with('{') || !line.ends_with('}')) return std::nullopt;
  const LoggedObject object = LoggedObject::parse(line, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  StepLine step;
  bool numbered = false, timed = false;
  for (const std::string_view key : kNumberKeys)
    if (const auto number = whole_of(number_of(object, key)); number && !numbered) {
      step.number = *number;
      numbered = true;
    }
  for (const auto& [key, value] : object.items())
    if (value.is_number() && names_a_time(key) && !timed) {
      set_time(key, value.get<double>(), step);
      timed = true;
    }
  if (!numbered || !timed) return std::nullopt;
  step.rank = rank_number(number_of(object, "rank"));
  step.batch = number_of(object, "global_batch_size");
  step.tokens_per_s = number_of(object, "tokens_per_s");
  return step;
}

}  // namespace spillway
