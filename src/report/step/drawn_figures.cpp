#include "report/step/drawn_figures.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "evaluate/steps.h"
#include "words/spread.h"

namespace spillway {
namespace {

using ByDraw = std::optional<std::vector<double>>;

ByDraw makespan(const Evaluation&, const ScheduleResult& schedule) {
  return by_draw(schedule, [](const DrawResult& draw) { return draw.step.makespan.value(); });
}

ByDraw speedup_over_baseline(const Evaluation& evaluation, const ScheduleResult& schedule) {
  return speedups_over(evaluation.schedules[evaluation.baseline], schedule);
}

// Returns the largest peak of any device, or nothing if memory was not computed.
ByDraw peak_memory_bytes(const Evaluation&, const ScheduleResult& schedule) {
  if (schedule.draws.front().memory.empty()) return std::nullopt;
  return by_draw(schedule, [](const DrawResult& draw) {
    Bytes most;
    for (const PeakMemory& peak : draw.memory) most = std::max(most, peak.parts.total());
    return most.value();
  });
}

// Returns nothing if durations are given.
template <double Throughput::*part>
ByDraw throughput_figure(const Evaluation&, const ScheduleResult& schedule) {
  if (!schedule.draws.front().account) return std::nullopt;
  return throughput_by_draw(schedule, [](const Throughput& t) { return t.*part; });
}

ByDraw model_flops(const Evaluation&, const ScheduleResult& schedule) {
  if (!schedule.draws.front().account) return std::nullopt;
  return by_draw(schedule, [](const DrawResult& draw) { return draw.account->model_flops.value(); });
}

// Returns nothing if the platform has no price.
template <Dollars StepCost::*part>
ByDraw cost_figure(const Evaluation&, const ScheduleResult& schedule) {
  const std::optional<StepAccount>& account = schedule.draws.front().account;
  if (!account || !account->price) return std::nullopt;
  return throughput_by_draw(schedule, [](const Throughput& t) { return ((*t.cost).*part).value(); });
}

template <std::size_t i>
ByDraw step_figure(const Evaluation&, const ScheduleResult& schedule) {
  return by_draw(schedule, [](const DrawResult& draw) { return kStepFigures[i].of(draw.step); });
}

// Returns nothing if no transposed region feeds a pipelined one.
template <Seconds StepSpill::*part>
ByDraw spill_figure(const Evaluation&, const ScheduleResult& schedule) {
  if (!schedule.draws.front().step.spill) return std::nullopt;
  return by_draw(schedule, [](const DrawResult& draw) { return ((*draw.step.spill).*part).value(); });
}

ByDraw exposed_planning_of_steps(const Evaluation&, const ScheduleResult& schedule) {
  return by_draw(schedule, [](const DrawResult& draw) { return draw.step.exposed_planning.value(); });
}

template <std::size_t... i>
constexpr auto all_figures(std::index_sequence<i...>) {
  return std::array{
      DrawnFigure{"makespan_s", makespan},
      DrawnFigure{"speedup", speedup_over_baseline},
      DrawnFigure{"peak_memory_bytes", peak_memory_bytes, OverDraws::Most},
      DrawnFigure{"mfu", throughput_figure<&Throughput::mfu>},
      DrawnFigure{"tokens_per_s", throughput_figure<&Throughput::tokens_per_second>},
      DrawnFigure{"tokens_per_s_per_device", throughput_figure<&Throughput::tokens_per_second_and_device>},
      DrawnFigure{"model_flops", model_flops},
      DrawnFigure{"usd_per_step", cost_figure<&StepCost::step>},
      DrawnFigure{"useful_tokens_per_s", throughput_figure<&Throughput::useful_tokens_per_second>},
      DrawnFigure{"fill", throughput_figure<&Throughput::fill>},
      DrawnFigure{"usd_per_1e12_useful_tokens", cost_figure<&StepCost::trillion_useful_tokens>},
      DrawnFigure{kStepFigures[i].key, step_figure<i>}...,
      DrawnFigure{"max_spill_s", spill_figure<&StepSpill::max_spill>},
      DrawnFigure{"exposed_encoder_s", spill_figure<&StepSpill::exposed_encoder>},
      DrawnFigure{"exposed_planning_s", exposed_planning_of_steps}};
}

constexpr auto kFigures = all_figures(std::make_index_sequence<kStepFigures.size()>());

}  // namespace

double DrawnFigure::shown(const std::vector<double>& values) const {
  const Spread all = spread(values);
  return over == OverDraws::Most ? all.max : all.mean;
}

std::span<const DrawnFigure> drawn_figures() {
  return kFigures;
}

std::optional<std::vector<double>> drawn_figure(std::string_view key, const Evaluation& evaluation,
                                                const ScheduleResult& schedule) {
  const auto figure =
      std::find_if(kFigures.begin(), kFigures.end(), [&](const DrawnFigure& one) { return one.key == key; });
  ensure(figure != kFigures.end(), "a figure of this key");
  return figure->by_draw(evaluation, schedule);
}

}  // namespace spillway
