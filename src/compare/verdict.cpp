#include "compare/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/printable.h"
#include "json/document.h"
#include "words/duration_text.h"
#include "words/wording.h"

namespace spillway {
namespace {

constexpr std::size_t kLongestValue = 24;

// Returns the effect with the largest absolute difference, or the first of equals.
template <class Effects>
auto largest(const Effects& effects) {
  return std::max_element(effects.begin(), effects.end(), [](const auto& a, const auto& b) {
    return std::abs(a.difference.value()) < std::abs(b.difference.value());
  });
}

std::string signed_duration(Seconds t) {
  return (t < Seconds() ? "-" : "+") + duration_text(Seconds(std::abs(t.value())));
}

// Returns ", 0.5 to 2.0" for a change of one value, else "".
std::string values_of(const Comparison& comparison, const std::vector<std::string>& pointers) {
  const auto found =
      std::find_if(comparison.configuration.begin(), comparison.configuration.end(),
                   [&](const Difference& difference) { return difference.pointer == pointers.front(); });
  if (pointers.size() > 1 || found == comparison.configuration.end()) return "";
  return ", " + value_text(found->a) + " to " + value_text(found->b);
}

std::string by_change(const Comparison& comparison, const ScheduleComparison& schedule) {
  if (schedule.changes.empty()) {
    if (comparison.configuration.empty()) return "their stated configurations are the same";
    return comparison.configuration.size() == 1
               ? "the configurations differ only in " + comparison.configuration.front().pointer +
                     values_of(comparison, {comparison.configuration.front().pointer})
               : "the configurations differ in " + counted(comparison.configuration.size(), "value");
  }
  const ChangeEffect& change = *largest(schedule.changes);
  return signed_duration(change.difference) + " by " + pointers_text(change.pointers) +
         values_of(comparison, change.pointers);
}

std::string_view cause_words(Decomposition decomposition) {
  switch (decomposition) {
    case Decomposition::CriticalPath:
      return "on the critical path";
    case Decomposition::Passes:
    case Decomposition::Ranks:
      return "on the mean rank";
  }
  throw ContractBreach("unknown decomposition");
}

std::string by_cause(const ScheduleComparison& schedule) {
  const Cause& cause = *largest(schedule.causes);
  return fmt::format("{} of {} {}", signed_duration(cause.difference), cause_text(cause.name),
                     cause_words(schedule.decomposition));
}

// Returns " [3.0, 3.4]", in percent, or "" if draws do not differ.
std::string interval_text(const ComparedFigure& figure) {
  if (!figure.ci95 || *figure.ci95 == 0) return "";
  const double at = std::abs(100 * figure.relative()), half = 100 * *figure.ci95 / figure.a;
  return fmt::format(" [{:.2f}, {:.2f}]", at - half, at + half);
}

// Returns "; B does not fit", or "" if both fit or the memory is unknown.
std::string memory_words(const ScheduleComparison& schedule) {
  if (schedule.too_large_a && schedule.too_large_b) return "; neither fits";
  if (schedule.too_large_a) return "; A does not fit";
  return schedule.too_large_b ? "; B does not fit" : "";
}

}  // namespace

std::string pointers_text(const std::vector<std::string>& pointers) {
  if (pointers.size() == 1) return pointers.front();
  return pointers.front() + " and " + std::to_string(pointers.size() - 1) + " more";
}

std::string cause_text(std::string name) {
  if (name == "overlapped") return "overlapped passes";
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string value_text(const std::optional<Node>& value) {
  if (!value) return "none";
  const std::string whole = compact_json(*value);
  if (whole.size() <= kLongestValue) return whole;
  const auto* text = std::get_if<std::string>(&value->value);
  return text ? in_quotes(*text, kLongestValue) : describe(*value);
}

std::string name_text(const ScheduleComparison& schedule) {
  return schedule.name == schedule.other_name ? schedule.name : schedule.name + " to " + schedule.other_name;
}

std::string verdict(const Comparison& comparison, const ScheduleComparison& schedule) {
  const ComparedFigure& makespan = schedule.makespan;
  const std::string a = duration_text(Seconds(makespan.a)), b = duration_text(Seconds(makespan.b));
  if (makespan.relative() == 0)
    return fmt::format("{}: B takes as long as A: {}{}", name_text(schedule), a, memory_words(schedule));
  return fmt::format("{}: B is {} {} than A{}: {} to {}{}; {}; {}", name_text(schedule),
                     percent(std::abs(makespan.relative()), 2),
                     makespan.difference() > 0 ? "slower" : "faster", interval_text(makespan), a, b,
                     memory_words(schedule), by_change(comparison, schedule), by_cause(schedule));
}

}  // namespace spillway
