// The figures of a schedule that every draw has one of: the report prints them under these keys, comparisons
// hold two runs against each other by them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "evaluate/evaluation.h"

namespace spillway {

// A figure is told over several draws by their mean; the memory that a device must have, by the most.
enum class OverDraws : std::uint8_t { Mean, Most };

struct DrawnFigure {
  std::string_view key;  // of a schedule in spillway/report/2
  // By draw; nothing where the experiment does not say enough.
  std::optional<std::vector<double>> (*by_draw)(const Evaluation&, const ScheduleResult&);
  OverDraws over = OverDraws::Mean;

  // The one number that text, pages and comparisons show. Contract: at least one value.
  double shown(const std::vector<double>& values) const;
  // Its name in the report's object of several draws.
  std::string_view part() const { return over == OverDraws::Most ? "max" : "mean"; }
};

// In the report's order.
std::span<const DrawnFigure> drawn_figures();

// Of one of these keys. Contract: there is such a figure.
std::optional<std::vector<double>> drawn_figure(std::string_view key, const Evaluation& evaluation,
                                                const ScheduleResult& schedule);

template <class ValueOf>
std::vector<double> by_draw(const ScheduleResult& schedule, ValueOf value_of) {
  std::vector<double> values;
  for (const DrawResult& draw : schedule.draws) values.push_back(value_of(draw));
  return values;
}

// Of the draws' accounts. Contract: they have one.
template <class ValueOf>
std::vector<double> throughput_by_draw(const ScheduleResult& schedule, ValueOf value_of) {
  return by_draw(schedule, [&](const DrawResult& draw) {
    return value_of(throughput(*draw.account, draw.step.makespan));
  });
}

}  // namespace spillway
