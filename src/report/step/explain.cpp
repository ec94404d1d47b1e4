#include "report/step/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "report/step/critical_path_table.h"
#include "report/step/evidence_text.h"
#include "report/step/explain_spill.h"
#include "report/step/memory_table.h"
#include "report/step/picture.h"
#include "report/step/warning_lines.h"
#include "report/words/duration_text.h"
#include "report/words/table.h"
#include "report/words/wording.h"

namespace spillway {
namespace {

using CauseColumn = std::pair<const char*, Seconds BubbleCauses::*>;

constexpr std::array<CauseColumn, 6> kCauses = {{{"fill", &BubbleCauses::fill},
                                                 {"input", &BubbleCauses::activations},
                                                 {"gradient", &BubbleCauses::gradients},
                                                 {"replicas", &BubbleCauses::replicas},
                                                 {"sending", &BubbleCauses::sending},
                                                 {"drain", &BubbleCauses::drain}}};

// No order of the same placement ends before its busiest rank has computed, none at all before an even share.
std::string bounds_text(const ScheduleResult& schedule) {
  const auto& ranks = schedule.draws.front().ranks;
  const auto busiest = std::max_element(
      ranks.begin(), ranks.end(), [](const RankFigures& a, const RankFigures& b) { return a.busy < b.busy; });
  Seconds sum;
  for (const RankFigures& rank : ranks) sum += rank.busy;
  const Seconds makespan = schedule.first.timeline.makespan(), mean = sum / static_cast<double>(ranks.size());
  return fmt::format(
      "the step takes {}: {:.2f} times the {} that rank {} computes, the least any order of this placement "
      "could take, and {:.2f} times the {} that an even share of all computing would take; inside the "
      "longest span "
      "of a rank {:.2f} % are idle (the bubble rate of the Zero Bubble paper)",
      duration_text(makespan), makespan / busiest->busy, duration_text(busiest->busy), busiest->rank.index(),
      makespan / mean, duration_text(mean), 100 * schedule.draws.front().step.bubble_rate);
}

std::string growth_text(const ScheduleResult& schedule) {
  const std::optional<SteadyState> steady = schedule.growth();
  if (!steady)
    return "how a longer step would grow cannot be read off this one: its middle has no period, because "
           "microbatches differ or because it is too short";
  return fmt::format(
      "a longer step grows by {} per microbatch; the order repeats every {}, the growth every {}",
      duration_text(steady->per_microbatch()), steady->period, steady->cyclicity());
}

std::string bubble_table(const ScheduleResult& schedule, TimeUnit unit) {
  const Seconds makespan = schedule.first.timeline.makespan();
  TableRows rows = {{"rank", "busy", "bubble"}};
  for (const auto& [name, member] : kCauses) rows.front().emplace_back(name);
  for (RankId rank : shown_ranks(schedule.derived->order.rank_count())) {
    const BubbleCauses& first_replica = schedule.first.bubble[rank.index()];
    auto& row = rows.emplace_back();
    row = {std::to_string(rank.index()), number_text(makespan - first_replica.total(), unit, makespan),
           number_text(first_replica.total(), unit, makespan)};
    for (const auto& [name, member] : kCauses)
      row.push_back(number_text(first_replica.*member, unit, makespan));
  }
  return table_text(rows);
}

constexpr const char* kLegend =
    "fill      idle before the rank's first pipelined forward\n"
    "input     later, waiting for the input of a forward;  gradient  for the gradient of a backward\n"
    "replicas  later, waiting for replicas that share experts;  sending  for its own blocking transfers\n"
    "drain     idle after its last pipelined event: for other ranks, reductions, the end of the step\n"
    "memory    on a device of the rank at its peak; transposed: held from an encode until its backward;\n"
    "          working: only while a backward runs; workspace: temporaries of the operator that runs,\n"
    "          buffers\n";

}  // namespace

void write_explanation(std::ostream& out, const Evaluation& evaluation, std::string_view name) {
  const Seconds scale = evaluation.schedules[evaluation.baseline].first.timeline.makespan();
  const TimeUnit unit = unit_for(scale);
  out << fmt::format("{}: times in {}, first draw, longest path\n\n", printable(evaluation.experiment),
                     unit.name)
      << critical_path_table(evaluation, unit) << warning_lines(evaluation, kTableColumns);
  for (const ScheduleResult& schedule : evaluation.schedules) {
    if (!name.empty() && schedule.name != name) continue;
    out << '\n'
        << wrapped(schedule.name + ": ", bounds_text(schedule), kTableColumns) << '\n'
        << wrapped("  ", growth_text(schedule), kTableColumns) << '\n'
        << bubble_table(schedule, unit) << wrapped("  ", explain_spill(schedule), kTableColumns)
        << memory_line(evaluation, schedule, kTableColumns) << memory_table(schedule)
        << memory_picture(schedule, kTableColumns) << evidence_lines(schedule, kTableColumns)
        << unmeasured_table(schedule);
  }
  out << '\n' << kLegend << provenance(evaluation, kTableColumns);
  if (!evaluation.inputs.empty()) out << '\n' << inputs_text(evaluation, kTableColumns);
}

}  // namespace spillway
