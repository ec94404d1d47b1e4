#include "evaluate/steps.h"

#include <algorithm>
#include <utility>

#include "base/statistics.h"
#include "evaluate/memory_limit.h"

namespace spillway {
namespace {

// A step and its bound add the same times up in different orders.
constexpr double kRoundedGap = 1e-9;

// Returns true for a pipeline in its skeletons' own order that takes microbatches whole and as drawn. If the
// terms of all systems move samples, the samples may also be distributed by size (Regrouping::Stratified).
bool is_plain(const Evaluation& evaluation, const ScheduleResult& result) {
  using Rule = Regrouping::Rule;
  const bool moved = evaluation.equal_terms && evaluation.equal_terms->moves_samples;
  const Derived& derived = *result.derived;
  const bool searched = !result.system.empty() && std::ranges::any_of(derived.schedule.skeletons, is_listed);
  return !transposes(derived.schedule) && !searched && derived.modules.empty() &&
         (derived.regrouping.rule == Rule::AsDrawn || (moved && derived.regrouping.rule == Rule::Stratified));
}

// Returns the fastest of the experiment's schedules that `left_out` does not leave out, or null.
template <class LeftOut>
const ScheduleResult* fastest(const Evaluation& evaluation, LeftOut left_out) {
  const ScheduleResult* best = nullptr;
  for (const ScheduleResult& schedule : evaluation.schedules)
    if (!left_out(schedule) && (!best || mean_makespan(schedule) < mean_makespan(*best))) best = &schedule;
  return best;
}

const ScheduleResult* fastest_that_fits(const Evaluation& evaluation, const ScheduleResult* but = nullptr) {
  return fastest(evaluation, [&](const ScheduleResult& schedule) {
    return &schedule == but || fits(evaluation, schedule) == false || !schedule.unranked.empty();
  });
}

// Returns the schedules that the winner is compared with.
std::vector<const ScheduleResult*> rivals(const Headline& head) {
  std::vector<const ScheduleResult*> all;
  for (const ScheduleResult* one : {head.rival, head.baseline})
    if (one) all.push_back(one);
  return all;
}

const ScheduleResult* by_cost(const Evaluation& evaluation, const ScheduleResult* side) {
  for (const SplitByCost& again : evaluation.by_cost)
    if (side == &evaluation.schedules[again.schedule]) return &again.result;
  return side;
}

}  // namespace

Seconds mean_makespan(const ScheduleResult& schedule) {
  std::vector<double> makespans;
  for (const DrawResult& draw : schedule.draws) makespans.push_back(draw.step.makespan.value());
  return Seconds(mean_of(std::move(makespans)));
}

Seconds mean_makespan(const ScheduleOutcome& schedule) {
  std::vector<double> makespans;
  for (const Seconds makespan : schedule.makespans) makespans.push_back(makespan.value());
  return Seconds(mean_of(std::move(makespans)));
}

std::optional<Seconds> mean_bound(const ScheduleResult& schedule) {
  std::vector<double> bounds;
  for (const DrawResult& draw : schedule.draws) {
    if (!draw.bound) return std::nullopt;
    bounds.push_back(draw.bound->step.value());
  }
  return Seconds(mean_of(std::move(bounds)));
}

double gap_to_bound(Seconds step, Seconds bound) {
  const double above = bound == Seconds() ? 0 : step / bound - 1;
  return above < kRoundedGap ? 0 : above;
}

std::vector<double> speedups_over(const ScheduleResult& reference, const ScheduleResult& schedule) {
  std::vector<double> by_draw;
  for (std::size_t draw = 0; draw < schedule.draws.size(); ++draw)
    by_draw.push_back(speedup(reference.draws[draw].step.makespan, schedule.draws[draw].step.makespan));
  return by_draw;
}

const ScheduleResult* fastest_plain(const Evaluation& evaluation) {
  const ScheduleResult* fastest = nullptr;
  for (const auto* results : {&evaluation.schedules, &evaluation.references})
    for (const ScheduleResult& schedule : *results) {
      if (!is_plain(evaluation, schedule) || fits(evaluation, schedule) == false) continue;
      if (!fastest || mean_makespan(schedule) < mean_makespan(*fastest)) fastest = &schedule;
    }
  return fastest;
}

Headline headline(const Evaluation& evaluation) {
  const ScheduleResult* fitting = fastest_that_fits(evaluation);
  const ScheduleResult* ranked =
      fitting ? fitting
              : fastest(evaluation, [](const ScheduleResult& one) { return !one.unranked.empty(); });
  const ScheduleResult* winner =
      ranked ? ranked : fastest(evaluation, [](const ScheduleResult&) { return false; });
  const ScheduleResult* plain = winner->beside ? fastest_plain(evaluation) : nullptr;
  const ScheduleResult* rival = plain ? plain : fastest_that_fits(evaluation, winner);
  const ScheduleResult* baseline = &evaluation.schedules[evaluation.baseline];
  if (rival == winner) rival = nullptr;
  if (baseline == winner || baseline == rival) baseline = nullptr;
  return {winner, fitting != nullptr, rival, rival && rival == plain, baseline};
}

std::vector<SplitAlike> split_alike(const Evaluation& evaluation) {
  std::vector<SplitAlike> all;
  const Headline head = headline(evaluation);
  for (const ScheduleResult* rival : rivals(head)) {
    const SplitAlike alike{rival, by_cost(evaluation, head.winner), by_cost(evaluation, rival)};
    const bool moved = alike.winner != head.winner || alike.rival != rival;
    if (rival->split != head.winner->split && moved) all.push_back(alike);
  }
  return all;
}

std::vector<ToSplit> to_split_by_cost(const Evaluation& evaluation) {
  std::vector<const ScheduleResult*> sides;
  const Headline head = headline(evaluation);
  for (const ScheduleResult* rival : rivals(head))
    if (rival->split != head.winner->split) sides.insert(sides.end(), {head.winner, rival});
  const auto by_cost =
      std::ranges::find_if(sides, [](const ScheduleResult* side) { return is_by_cost(side->split); });
  const SplitRule like = by_cost == sides.end() ? SplitRule::Stated : (*by_cost)->split;
  std::vector<ToSplit> schedules;
  for (std::size_t i = 0; i < evaluation.schedules.size(); ++i) {
    const ScheduleResult& schedule = evaluation.schedules[i];
    if (schedule.split == SplitRule::ByCount && std::ranges::find(sides, &schedule) != sides.end())
      schedules.push_back({i, like});
  }
  return schedules;
}

}  // namespace spillway
