#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "evaluate/steps.h"
#include "explain/explanation.h"
#include "explain/step_end_account.h"
#include "report/step/bubble_causes.h"
#include "report/step/critical_path_table.h"
#include "report/step/evidence_text.h"
#include "report/step/explain_spill.h"
#include "report/step/memory_table.h"
#include "report/step/picture.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

// Returns true if several replicas were simulated. Replicas with equal costs are simulated as one.
bool has_several_replicas(const ScheduleResult& schedule) {
  return schedule.first.bubble.size() > schedule.derived->order.rank_count();
}

std::string name_of(const RankFigures& rank, bool several) {
  const std::string name = fmt::format("rank {}", rank.rank.index());
  return several ? fmt::format("{} of replica {}", name, rank.replica.index()) : name;
}

// A step takes at least what a rank computes between its warm-up and its drain (timing/order_bound.h). For
// any placement it takes at least an even share of all computing.
std::string bounds_text(const ScheduleResult& schedule) {
  const auto& ranks = schedule.draws.front().ranks;
  const StepBound& bound = *schedule.draws.front().bound;
  const RankFigures& needed = ranks[bound.lane * schedule.derived->order.rank_count() + bound.rank.index()];
  Seconds sum;
  for (const RankFigures& rank : ranks) sum += rank.busy;
  const Seconds makespan = schedule.first.timeline.makespan(), mean = sum / static_cast<double>(ranks.size());
  const std::string draw = schedule.draws.size() > 1
                               ? fmt::format("in the first of {} draws, whose mean is {}, ",
                                             schedule.draws.size(), duration_text(mean_makespan(schedule)))
                               : "";
  return draw + fmt::format(
                    "the step takes {}, {} above its bound: no order of the same passes on the same "
                    "ranks takes less than {}, since {} computes {} and the rest must run before and behind "
                    "that; the step is {:.2f} times an even share of all computing ({}); {} of the "
                    "longest span of a rank is idle time (the bubble rate of the Zero Bubble paper)",
                    duration_text(makespan), percent(gap_to_bound(makespan, bound.step), 1),
                    duration_text(bound.step), name_of(needed, has_several_replicas(schedule)),
                    duration_text(needed.busy), makespan / mean, duration_text(mean),
                    percent(schedule.draws.front().step.bubble_rate, 2));
}

std::string growth_text(const ScheduleResult& schedule) {
  const std::optional<SteadyState> steady = schedule.growth();
  if (!steady)
    return "the growth of the step per additional microbatch is unknown: the step has no periodic middle, "
           "because microbatches differ or the step is too short";
  return fmt::format(
      "in steady state each additional microbatch adds {}; the order has a period of {}, the growth a period "
      "of {} (in microbatches)",
      duration_text(steady->per_microbatch()), steady->period, steady->cyclicity());
}

// The last cause, "plan", is shown only if a planning time is stated.
std::vector<BubbleCause> shown_causes(const ScheduleResult& schedule) {
  std::vector<BubbleCause> causes(kBubbleCauses.begin(), kBubbleCauses.end());
  if (schedule.planning == Seconds()) causes.pop_back();
  return causes;
}

std::string bubble_table(const ScheduleResult& schedule, TimeUnit unit) {
  const Seconds makespan = schedule.first.timeline.makespan();
  TableRows rows = {{"rank", "busy", "bubble"}};
  const std::vector<BubbleCause> causes = shown_causes(schedule);
  for (const auto& [name, member] : causes) rows.front().emplace_back(name);
  for (RankId rank : shown_ranks(schedule.derived->order.rank_count())) {
    const BubbleCauses& waits = explained_bubbles(schedule)[rank.index()];
    auto& row = rows.emplace_back();
    row = {std::to_string(rank.index()), number_text(makespan - waits.total(), unit, makespan),
           number_text(waits.total(), unit, makespan)};
    for (const auto& [name, member] : causes) row.push_back(number_text(waits.*member, unit, makespan));
  }
  return table_text(rows);
}

// Names the replica that the table describes.
std::string replica_line(const ScheduleResult& schedule) {
  if (!has_several_replicas(schedule)) return {};
  return fmt::format("  ranks of replica {}, which has the busiest rank:\n",
                     busiest_rank(schedule).replica.index());
}

// A gain that rounds to 0 has no sign.
std::string gain_text(double gain) {
  return signed_percent(std::abs(gain) < 5e-4 ? 0 : gain, 1);
}

// Impossible changes are listed below the table, with the reason.
std::string would_help_table(const std::vector<TriedChange>& tried, TimeUnit unit) {
  TableRows rows = {{"what would help", "makespan", "gain", "devices", ""}};
  std::string impossible;
  for (const TriedChange& one : tried) {
    if (!one.refusal.empty()) {
      impossible += wrapped("  not possible: ", one.change.words + ": " + one.refusal, kTableColumns);
      continue;
    }
    rows.push_back({one.change.words, number_text(one.makespan, unit, one.makespan), gain_text(one.gain),
                    std::to_string(one.devices), one.fits == false ? "does not fit" : ""});
  }
  return (rows.size() > 1 ? table_text(rows) : "") + impossible;
}

constexpr const char* kLegend =
    "fill      idle time before the rank's first pipelined forward\n"
    "input     later, waits for the input of a forward;  gradient  for the gradient of a backward\n"
    "replicas  later, waits for replicas that share experts;  sending  for its own blocking transfers\n"
    "drain     idle after its last pipelined event: waits for other ranks, reductions, the step's end\n"
    "plan      waits for the step's plan before all this, if planning_ms is stated\n"
    "memory    peak on a device of the rank, maximum over replicas and draws; transposed: held from\n"
    "          an encode until its backward; working: only during a backward; workspace: temporaries\n"
    "          of the running operator, buffers\n"
    "help      the job evaluated again with one change, mean over all draws; gain: saving in device time\n"
    "          per microbatch; fitted parameters keep their fitted values\n";

}  // namespace

const RankFigures& busiest_rank(const ScheduleResult& schedule) {
  return *std::ranges::max_element(schedule.draws.front().ranks, {}, &RankFigures::busy);
}

std::span<const BubbleCauses> explained_bubbles(const ScheduleResult& schedule) {
  const std::size_t ranks = schedule.derived->order.rank_count();
  return std::span(schedule.first.bubble).subspan(busiest_rank(schedule).replica.index() * ranks, ranks);
}

std::string explanation_text(const Explanation& explanation) {
  const Evaluation& evaluation = explanation.evaluation;
  const Seconds scale = evaluation.schedules[evaluation.baseline].first.timeline.makespan();
  const TimeUnit unit = unit_for(scale);
  std::string text = fmt::format("{}: times in {}, first draw, longest path\n\n",
                                 printable(evaluation.experiment), unit.name) +
                     critical_path_table(evaluation, unit) + warning_lines(evaluation, kTableColumns);
  for (const auto& [result, would_help, gap] : explanation.schedules) {
    const ScheduleResult& schedule = *result;
    text += '\n' + wrapped(schedule.name + ": ", bounds_text(schedule), kTableColumns) + '\n' +
            unranked_line(schedule.name, schedule.unranked, kTableColumns) +
            wrapped("  ", growth_text(schedule), kTableColumns) + '\n' + replica_line(schedule) +
            bubble_table(schedule, unit) + step_end_table(schedule, unit) +
            wrapped("  ", explain_spill(schedule), kTableColumns) +
            memory_line(evaluation, schedule, kTableColumns) + memory_table(schedule) +
            memory_picture(schedule, kTableColumns) + evidence_lines(schedule, kTableColumns) +
            unmeasured_table(schedule) + would_help_table(would_help, unit) +
            (gap ? '\n' + gap_text(*gap) : "");
  }
  text += '\n';
  text += kLegend;
  text += provenance(evaluation, kTableColumns);
  if (!evaluation.inputs.empty()) text += '\n' + inputs_text(evaluation, kTableColumns);
  return text;
}

}  // namespace spillway
