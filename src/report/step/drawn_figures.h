// The figures of a schedule that have one value for each draw. The report prints them under these keys, and
// `spillway compare` compares two runs by them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "evaluate/evaluation.h"

namespace spillway {

// The statistic that summarizes a figure over several draws. It is the mean, but the maximum for the memory
// that a device must have.
enum class OverDraws : std::uint8_t { Mean, Most };

struct DrawnFigure {
  std::string_view key;  // the key of a schedule in spillway/report/2
  // Returns one value for each draw, or nothing if the experiment does not determine the figure.
  std::optional<std::vector<double>> (*by_draw)(const Evaluation&, const ScheduleResult&);
  OverDraws over = OverDraws::Mean;

  // Returns the one number that text, pages and comparisons show. Contract: at least one value.
  double shown(const std::vector<double>& values) const;
  // The name of that number in the object that the report has for several draws.
  std::string_view part() const { return over == OverDraws::Most ? "max" : "mean"; }
};

// Returns all figures, in the report's order.
std::span<const DrawnFigure> drawn_figures();

// Returns the values by draw of the figure with this key. Contract: there is such a figure.
std::optional<std::vector<double>> drawn_figure(std::string_view key, const Evaluation& evaluation,
                                                const ScheduleResult& schedule);

// Returns value_of(draw) for each draw of the schedule.
template <class ValueOf>
std::vector<double> by_draw(const ScheduleResult& schedule, ValueOf value_of) {
  std::vector<double> values;
  for (const DrawResult& draw : schedule.draws) values.push_back(value_of(draw));
  return values;
}

// Returns a value of each draw's throughput. Contract: every draw has an account.
template <class ValueOf>
std::vector<double> throughput_by_draw(const ScheduleResult& schedule, ValueOf value_of) {
  return by_draw(schedule, [&](const DrawResult& draw) {
    return value_of(throughput(*draw.account, draw.step.makespan));
  });
}

}  // namespace spillway
