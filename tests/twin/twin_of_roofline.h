// Traces that the cost model makes of itself: every pass takes the time that the roofline gives it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "draws/costs.h"
#include "experiment/derive_options.h"
#include "experiment/experiment.h"
#include "optimize/plan.h"
#include "traces/events/trace.h"

namespace spillway::testing {

inline const ScheduleSpec& schedule_called(const Experiment& experiment, std::string_view name) {
  for (const ScheduleSpec& schedule : experiment.schedules)
    if (schedule.name == name) return schedule;
  throw ContractBreach("no schedule " + std::string(name));
}

inline TraceKind kind_of(Pass pass) {
  switch (pass) {
    case Pass::Forward:
      return TraceKind::Forward;
    case Pass::Backward:
      return TraceKind::Backward;
    case Pass::InputGradient:
      return TraceKind::BackwardInput;
    case Pass::WeightGradient:
      return TraceKind::BackwardWeight;
  }
  throw ContractBreach("unknown pass");
}

// The passes of the first draw in a schedule's stages; those that take no time are left out.
inline Trace trace_of_roofline(const Experiment& experiment, const std::string& name,
                               const std::vector<Pass>& passes = {Pass::Forward, Pass::Backward}) {
  const ScheduleSpec& schedule = schedule_called(experiment, name);
  const Outline outline =
      derive_outline(experiment.model, schedule.schedule, schedule.cut, derive_options(experiment, schedule));
  const DrawCosts costs(experiment);
  const auto model = costs.of(outline, 0);
  Trace trace;
  trace.format = "spillway-test";
  trace.files = {"roofline.csv"};
  trace.steps = {"0"};
  trace.names = {""};
  for (std::uint32_t stage = 0; stage < outline.stages.size(); ++stage)
    for (std::uint32_t replica = 0; replica < experiment.pipeline.replicas; ++replica)
      for (std::uint32_t m = 0; m < experiment.pipeline.microbatches; ++m)
        for (const Pass pass : passes) {
          const Seconds time = model->pass(pass, StageId(stage), MicrobatchId(m), ReplicaId(replica));
          if (time > Seconds())
            trace.events.push_back({Seconds(), time, 0, m, 0, static_cast<std::uint16_t>(replica),
                                    static_cast<std::uint16_t>(outline.stages[stage].rank.index()),
                                    static_cast<std::uint16_t>(stage), 0, kind_of(pass)});
        }
  return trace;
}

// The longest path of the first draw.
inline Seconds step_of(const Experiment& experiment, const std::string& name) {
  const DrawCosts costs(experiment);
  OrderCache orders;
  const auto prepared = plan(costs, orders, schedule_called(experiment, name)).prepared;
  const auto model = costs.of(prepared->derived, 0);
  const Prices prices = price(prepared->derived, *model);
  PerEvent<Seconds> ends;
  return prepared->longest_path.makespan(prices.durations, ends);
}

}  // namespace spillway::testing
