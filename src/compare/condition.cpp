#include "compare/condition.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/printable.h"
#include "base/text.h"
#include "report/step/drawn_figures.h"

namespace spillway {
namespace {

[[noreturn]] void refuse(const std::string& expected, std::string_view found) {
  throw InputError({{"command line", "--fail-if", expected, in_quotes(found)}});
}

std::vector<std::string_view> known_figures() {
  std::vector<std::string_view> keys;
  for (const DrawnFigure& figure : drawn_figures()) keys.push_back(figure.key);
  return keys;
}

void require_known(std::string_view figure) {
  const std::vector<std::string_view> known = known_figures();
  if (std::ranges::find(known, figure) != known.end()) return;
  const std::optional<std::string_view> near = near_word(figure, known);
  refuse("a figure: " + (near ? "did you mean " + std::string(*near) + '?' : "one of " + joined(known)),
         figure);
}

}  // namespace

Condition condition_from(const std::string& text) {
  constexpr const char* kForm = "FIGURE > N % or FIGURE < N %";
  const std::size_t sign = text.find_first_of("<>");
  if (sign == std::string::npos) refuse(kForm, text);
  const std::string_view figure = trimmed(std::string_view(text).substr(0, sign));
  std::string_view limit = trimmed(std::string_view(text).substr(sign + 1));
  if (!limit.ends_with('%')) refuse(kForm, text);
  limit.remove_suffix(1);
  const std::optional<double> percent = number_from<double>(trimmed(limit));
  if (!percent || !std::isfinite(*percent)) refuse(kForm, text);
  require_known(figure);
  return {text, std::string(figure), text[sign] == '>', *percent};
}

std::vector<ConditionOutcome> outcomes_of(const std::vector<Condition>& conditions,
                                          const Comparison& comparison) {
  std::vector<ConditionOutcome> outcomes;
  for (const Condition& condition : conditions) {
    const std::size_t before = outcomes.size();
    for (const ScheduleComparison& schedule : comparison.schedules)
      for (const ComparedFigure& figure : schedule.figures) {
        if (figure.key != condition.figure) continue;
        const double percent = 100 * figure.relative();
        outcomes.push_back({condition, schedule.name, figure,
                            condition.above ? percent > condition.percent : percent < condition.percent});
      }
    if (outcomes.size() == before)
      refuse("a figure that A and B both have for some schedule", condition.text);
  }
  return outcomes;
}

bool any_holds(const std::vector<ConditionOutcome>& outcomes) {
  return std::ranges::any_of(outcomes, [](const ConditionOutcome& outcome) { return outcome.holds; });
}

}  // namespace spillway
