// A run of our own as a measured pipeline: a trace of it without measurement error.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "order/durations.h"
#include "support/pipelines.h"
#include "timing/longest_path.h"
#include "traces/events/trace.h"
#include "traces/pipeline/pipeline.h"

namespace spillway::testing {

// Returns a stage's number when regions are numbered one after the other.
inline std::uint32_t stage_number(const Derived& derived, StageId id) {
  std::uint32_t before = 0;
  for (const Stage& stage : derived.stages) before += stage.region < derived.stage(id).region;
  return before + derived.stage(id).index;
}

inline PlacedOrders placed(const Derived& derived) {
  PlacedOrders placed;
  placed.stage_rank.resize(derived.stages.size());
  for (std::uint32_t id = 0; id < derived.stages.size(); ++id)
    placed.stage_rank[stage_number(derived, StageId(id))] = derived.stages[id].rank;
  const auto chunk = [&](StageId id) {
    const auto end = placed.stage_rank.begin() + stage_number(derived, id);
    return static_cast<std::uint32_t>(std::count(placed.stage_rank.begin(), end, derived.stage(id).rank));
  };
  for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank) {
    RankOrder& order = placed.orders.emplace_back();
    for (EventId id : derived.order.nodes(RankId(rank))) {
      const Event& event = derived.order.event(id);
      if (!event.computes()) continue;
      const auto action = static_cast<Action>(event.kind);
      if (action == Action::ForwardBackward)
        order.push_back(
            {action, chunk(event.stage), event.microbatch, chunk(event.peer_stage), event.peer_microbatch});
      else
        order.push_back({action, chunk(event.stage), event.microbatch});
    }
  }
  return placed;
}

inline void record(const Derived& derived, const Event& event, Interval interval, MeasuredStep& step) {
  const std::uint32_t stage = stage_number(derived, event.stage), m = event.microbatch.index();
  const std::uint32_t peer = stage_number(derived, event.peer_stage);
  switch (event.kind) {
    case EventKind::Forward:
      step.passes[stage][m].forward = interval;
      break;
    case EventKind::BackwardWeight:
      step.passes[stage][m].weight = interval;
      break;
    case EventKind::ForwardBackward:
      step.passes[stage][m].forward = interval;
      step.passes[peer][event.peer_microbatch.index()].backward = interval;
      break;
    case EventKind::Backward:
    case EventKind::BackwardInput:
      step.passes[stage][m].backward = interval;
      break;
    case EventKind::Collective:
      if (!event.transfers()) break;
      (peer > stage ? step.activations[stage] : step.gradients[peer])[m] = {interval, interval};
      break;
    default:
      break;
  }
}

// Makes one step for every lane; lane l is replica l % replicas in step l / replicas.
inline MeasuredPipeline pipeline_of(const Derived& derived, const Timeline& timeline,
                                    std::uint32_t replicas = 1) {
  const auto stages = static_cast<std::uint32_t>(derived.stages.size());
  const Pipeline& shape = derived.pipeline;
  MeasuredPipeline pipeline{shape.ranks, stages, shape.microbatches, replicas, placed(derived), {}, {}, {}};
  for (std::uint32_t lane = 0; lane < timeline.start.lanes(); ++lane) {
    MeasuredStep step{lane / replicas, ReplicaId(lane % replicas), {}, {}, {}, {}, pipeline.placement.orders};
    step.passes.assign(stages, std::vector<MeasuredPasses>(shape.microbatches));
    step.activations.assign(stages, std::vector<MeasuredTransfer>(shape.microbatches));
    step.gradients = step.activations;
    step.collectives.resize(shape.ranks);
    for (std::uint32_t id = 0; id < derived.order.event_count(); ++id)
      record(derived, derived.order.event(EventId(id)),
             {timeline.start.at(EventId(id), lane), timeline.end.at(EventId(id), lane)}, step);
    pipeline.steps.push_back(std::move(step));
  }
  return pipeline;
}

inline Trace trace_of(const MeasuredPipeline& pipeline) {
  Trace trace;
  trace.format = "own";
  trace.files = {"own.csv"};
  for (std::size_t step = 0; step < pipeline.steps.size(); ++step)
    trace.steps.push_back(std::to_string(100 + step));
  return trace;
}

// Returns `uniform` with transfers of this kind.
inline Derived uniform_with(const std::string& text, std::uint32_t ranks, std::uint32_t microbatches,
                            PointToPoint mode) {
  const Schedule parsed = schedule(text);
  const auto regions = static_cast<std::uint32_t>(parsed.skeletons.size());
  const Model model({{"llm", Role::Backbone, stages_of(parsed.skeletons.front(), ranks) * regions, true}});
  DeriveOptions options{.pipeline = {ranks, microbatches}};
  options.point_to_point = mode;
  return derive(model, parsed, *default_cut(model, regions), options);
}

}  // namespace spillway::testing
