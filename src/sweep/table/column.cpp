#include "sweep/table/column.h"

#include <algorithm>

#include "base/csv.h"
#include "sweep/table/axis.h"

namespace spillway {
namespace {

constexpr FigureColumn column_of(const StepFigure& kept) {
  return {kept.column->name, kept.unit, kept.column->meaning, kept.column->label};
}

constexpr std::array<FigureColumn, kNamedFigures> kNamed = {{
    {"makespan_s_mean", "s", "time from the first start to the last end of the step, mean over the draws",
     "makespan", SweepFigure::MakespanInterval},
    {"makespan_s_p50", "s", "the smallest makespan with half of the draws at or below it", "makespan, p50"},
    {"makespan_s_ci95", "s",
     "half the width of the 95 % interval of makespan_s_mean (Student's t); 0 for one draw",
     "half the 95 % interval of the makespan"},
    {"speedup_mean", "",
     "the baseline's makespan divided by this one's on the same draw, mean over the draws", "speedup",
     SweepFigure::SpeedupInterval, 1},
    column_of(kKeptFigures.front()),
    {"max_spill_s_mean", "s",
     "transposed work of the worst rank that does not fit into its warm-up bubble: max(0, E_r - w_r); mean "
     "over the draws, empty if no transposed region feeds a pipelined one",
     "max spill"},
    {"makespan_s_p5", "s", "the smallest makespan with 5 % of the draws at or below it", "makespan, p5"},
    {"makespan_s_p95", "s", "the smallest makespan with 95 % of the draws at or below it", "makespan, p95"},
    {"makespan_s_p99", "s", "the smallest makespan with 99 % of the draws at or below it", "makespan, p99"},
    {"speedup_ci95", "", "half the width of the 95 % interval of speedup_mean",
     "half the 95 % interval of the speedup"},
    {"difference_s_mean", "s", "this makespan minus the baseline's on the same draw, mean over the draws",
     "makespan minus the baseline's", SweepFigure::DifferenceInterval, 0},
    {"difference_s_ci95", "s",
     "half the width of the 95 % interval of difference_s_mean, of the paired differences",
     "half the 95 % interval of the difference"},
    {"exposed_encoder_s_mean", "s",
     "longest path minus the longest path in which the transposed work takes no time, mean over the draws; "
     "empty if no transposed region feeds a pipelined one",
     "exposed encoder"},
    {"encoder_to_bubble_mean", "",
     "all transposed forwards divided by all warm-up slack: the sums of E_r and of w_r over ranks and "
     "replicas; mean over the draws, empty if there is no slack or no transposed region feeds a pipelined "
     "one",
     "encoder to bubble"},
    {"simgrid_s_mean", "s",
     "makespan by SimGrid, with shared links, mean over the draws; empty if SimGrid did not run",
     "makespan by SimGrid"},
    {"contention_mean", "",
     "SimGrid's makespan divided by the longest path's, minus 1, mean over the draws; empty if SimGrid did "
     "not run",
     "contention"},
    {"mfu_mean", "",
     "model FLOPs / (devices x peak x makespan), mean over the draws; empty if durations are given", "MFU"},
    {"tokens_per_s_mean", "1/s",
     "backbone tokens of all replicas, with padding / makespan, mean over the draws; empty if durations are "
     "given",
     "tokens per second"},
    {"usd_per_step_mean", "USD",
     "price of all devices for the makespan, mean over the draws; empty if the platform has no price",
     "price of a step"},
    {"devices", "", "ranks x replicas x devices of a rank; empty if durations are given", "devices"},
    {"peak_memory_bytes_max", "B",
     "the most memory that a device holds, over ranks, replicas and draws; empty if given durations come "
     "without activation_bytes, and for steps too large to hold in memory",
     "peak memory (bytes)"},
    {"useful_tokens_per_s_mean", "1/s",
     "text and image tokens of the samples, of all replicas, without padding / makespan, mean over the "
     "draws; empty if durations are given",
     "useful tokens per second"},
    {"fill_mean", "", "useful tokens / tokens that the backbone computes, with padding, mean over the draws",
     "fill"},
    {"usd_per_1e12_useful_tokens_mean", "USD",
     "price of all devices for the makespan / useful tokens of the step x 1e12, mean over the draws; empty "
     "if the platform has no price",
     "price of 1e12 useful tokens"},
}};

constexpr std::array<FigureColumn, kSweepFigures> kFigures = [] {
  std::array<FigureColumn, kSweepFigures> figures{};
  std::copy(kNamed.begin(), kNamed.end(), figures.begin());
  std::transform(kKeptFigures.begin() + 1, kKeptFigures.end(), figures.begin() + kNamedFigures, column_of);
  return figures;
}();

constexpr std::array<SweepFigure, kSweepFigures> kInOrder = [] {
  std::array<SweepFigure, kSweepFigures> figures{};
  for (std::size_t i = 0; i < kSweepFigures; ++i) figures[i] = static_cast<SweepFigure>(i);
  return figures;
}();

}  // namespace

const FigureColumn& figure_column(SweepFigure figure) {
  return kFigures[static_cast<std::size_t>(figure)];
}

const std::array<SweepFigure, kSweepFigures>& all_sweep_figures() {
  return kInOrder;
}

std::optional<SweepFigure> sweep_figure(const std::string& column) {
  for (SweepFigure figure : kInOrder)
    if (column == figure_column(figure).name) return figure;
  return std::nullopt;
}

std::vector<SweepColumn> sweep_columns(const SweepHeading& heading) {
  std::vector<SweepColumn> columns;
  for (const std::string& axis : heading.axes)
    columns.push_back({axis, axis_unit(axis), "the experiment's value at this place"});
  columns.push_back({"schedule", "", "its name in the experiment; empty if the point was refused"});
  for (const FigureColumn& figure : kFigures) columns.push_back({figure.name, figure.unit, figure.meaning});
  columns.push_back({"fits", "",
                     "true if peak_memory_bytes_max fits into the experiment's memory limit (default: the "
                     "memory of the platform's accelerator), otherwise false; empty if either is unknown"});
  columns.push_back({"evidence_weakest", "",
                     "the weakest kind of evidence behind at least 1 % of the operators' time, first draw: "
                     "measured, vendor, derived, fitted, extrapolated or assumed; empty if durations are "
                     "given, and for steps too large to hold in memory"});
  columns.push_back({"unranked_reason", "",
                     "why the schedule is not ranked, such as a system simulated by a rule that is not its "
                     "authors'; empty if it is ranked"});
  columns.push_back({"refusal", "", "why the point is refused; empty if it is not"});
  return columns;
}

void write_sweep_dictionary(std::ostream& out, const SweepHeading& heading) {
  out << "name,unit,meaning\n";
  for (const SweepColumn& column : sweep_columns(heading))
    out << csv_field(column.name) << ',' << csv_field(column.unit) << ',' << csv_field(column.meaning)
        << '\n';
}

}  // namespace spillway
