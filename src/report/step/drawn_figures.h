// The figures of a schedule that every draw has one of: the report prints them under these keys, comparisons
// hold two runs against each other by them.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "evaluate/evaluation.h"

namespace spillway {

struct DrawnFigure {
  std::string_view key;  // of a schedule in spillway/report/2
  // By draw; nothing where the experiment does not say enough.
  std::optional<std::vector<double>> (*by_draw)(const Evaluation&, const ScheduleResult&);
};

// In the report's order.
std::span<const DrawnFigure> drawn_figures();

// Of one of these keys. Contract: there is such a figure.
std::optional<std::vector<double>> drawn_figure(std::string_view key, const Evaluation& evaluation,
                                                const ScheduleResult& schedule);

}  // namespace spillway
