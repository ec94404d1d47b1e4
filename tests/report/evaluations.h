// Evaluations for the report's tests, made by hand: the longest path runs a priced schedule, and nothing else
// is computed.
#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "derive/feeding.h"
#include "evaluate/evaluate.h"
#include "memory/activations.h"
#include "report/step/text.h"
#include "support/pipelines.h"
#include "timing/figures.h"

namespace spillway::testing {

// Two ranks, two microbatches: a frozen encoder of one layer, transposed (microbatch 1 on rank 0, 2 on rank
// 1), before a trainable backbone of two. Encode 1 s, forward 1 s, backward 1 + 1 s, every transfer 1 s. By
// hand:
//   rank 0   e1 0-1, F1 1-2, F2 2-3 (Send 1 beside it), Send 2 3-4, B1 7-9, B2 10-12
//   rank 1   e2 0-1, Gather 2 1-2, F1 3-4, B1 4-6, F2 6-7 (RecvGrad 1 beside it), B2 7-9, RecvGrad 2 9-10
inline Derived two_by_two(PointToPoint point_to_point = PointToPoint::Overlapped, std::uint32_t replicas = 1,
                          const std::string& backbone = "llm") {
  const Model model({{"enc", Role::Encoder, 1, false}, {backbone, Role::Backbone, 2, true}});
  DeriveOptions options{.pipeline = {2, 2, replicas}};
  options.point_to_point = point_to_point;
  return derive(model, schedule("transpose,1f1b"), Cut{{1}}, options);
}

inline GivenCosts two_by_two_costs() {
  const GivenCosts layer = uniform_costs(1, 1, 1, 1);
  return {{layer.blocks[0], layer.blocks[0]}, layer.p2p};
}

// Makes one draw per factor, with its figures times the factor; the first factor should be 1.
inline ScheduleResult result_of(std::string name, Derived derived, const GivenCosts& costs,
                                const std::vector<double>& factors = {1}) {
  ScheduleResult result;
  result.name = std::move(name);
  result.derived = std::make_shared<const Derived>(std::move(derived));
  const GivenCostModel model(costs, *result.derived);
  const LongestPath path(result.derived->order);
  FirstDraw& first = result.first;
  first.durations = price(*result.derived, model).durations;
  first.timeline = path.timeline(first.durations);
  first.bubble = bubble_causes(*result.derived, first.timeline);
  result.peak_activations = peak_activations(*result.derived);
  const bool memory = states_memory(costs, result.derived->model);
  if (memory) first.memory = memory_over_time(*result.derived, model, first.timeline, ReplicaId(0));
  const auto ranks = rank_figures(*result.derived, first.durations, first.timeline);
  const Seconds makespan = first.timeline.makespan();
  PerEvent<Seconds> ends;
  std::optional<PathEnds> path_ends;
  if (feeding_of(*result.derived))
    path_ends = {makespan, path.makespan(transposed_free(*result.derived, first.durations), ends)};
  for (double factor : factors) {
    DrawResult draw;
    draw.step = step_figures(ranks, makespan, path_ends);
    draw.step.makespan = makespan * factor;
    if (auto& spill = draw.step.spill)
      spill->max_spill = spill->max_spill * factor, spill->exposed_encoder = spill->exposed_encoder * factor;
    draw.makespans[Engine::LongestPath] = draw.step.makespan;
    draw.ranks = ranks;
    if (memory) draw.memory = peak_memory(*result.derived, model, first.timeline);
    for (RankFigures& rank : draw.ranks)
      if (rank.spill) rank.spill->spill = rank.spill->spill * factor;
    result.draws.push_back(draw);
  }
  if (const auto& spill = result.draws.front().step.spill)
    first.spill = {spill->max_spill, spill->exposed_encoder, {}};
  return result;
}

// Returns the same result with the note that its two microbatches change places.
inline ScheduleResult swapped(ScheduleResult result) {
  result.order = MicrobatchOrder::HeaviestFirst;
  result.first.sampled_as = {{MicrobatchId(1), MicrobatchId(0)}};
  return result;
}

inline Evaluation evaluation_of(ScheduleResult schedule) {
  Evaluation evaluation{"by hand", 0, {}, {}, {}};
  evaluation.schedules.push_back(std::move(schedule));
  return evaluation;
}

inline std::string text_of(const Evaluation& evaluation) {
  std::ostringstream out;
  write_text_report(out, evaluation, {.verbose = true, .legend = true});
  return out.str();
}

}  // namespace spillway::testing
