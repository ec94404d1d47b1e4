#include "evaluate/engines.h"

#include <algorithm>
#include <memory>

#include "evaluate/priced_draw.h"
#include "experiment/derive_options.h"
#include "maxplus/window_engine.h"
#include "optimize/prepared_order.h"
#include "sim/replay.h"

namespace spillway {
namespace {

double no_bytes(const Experiment&) {
  return 0;
}

// A streamed order needs no run of this engine, since its figures come from the longest path anyway.
EngineRuns start_longest_path(const Experiment&) {
  return {[ends = PerEvent<Seconds>()](const PreparedOrder& prepared, const PricedDraw& draw) mutable {
    return EngineAnswer{prepared.longest_path.makespan(draw.prices.durations, ends), {}};
  }};
}

EngineRuns start_max_plus(const Experiment&) {
  return {[](const PreparedOrder& prepared, const PricedDraw& draw) {
    return EngineAnswer{max_plus_makespan(prepared.derived.order, draw.prices.durations), {}};
  }};
}

Fabric fabric_of(const Experiment& experiment) {
  Fabric fabric{experiment.pipeline, 1, std::nullopt};
  if (const AnalyticCosts* priced = on_platform(experiment.costs)) {
    fabric.members = priced->parallelism.members();
    fabric.platform = priced->platform;
  }
  for (const ScheduleSpec& schedule : experiment.schedules) {
    const Pipeline pipeline = derive_options(experiment, schedule).pipeline;
    fabric.slots = std::max(fabric.slots, pipeline.ranks * pipeline.replicas);
  }
  return fabric;
}

// Returns the bytes of SimGrid's libraries, and of the devices' hosts, ports and flows in it. Without a
// platform there are none.
double simgrid_bytes(const Experiment& folded) {
  constexpr double kLibraries = 30e6, kPerDevice = 10e3;
  const Fabric fabric = fabric_of(folded);
  return fabric.platform ? kLibraries + kPerDevice * fabric.members * fabric.slots : 0;
}

EngineRuns start_simgrid(const Experiment& experiment) {
  const auto replay = std::make_shared<Replay>(fabric_of(experiment));
  const bool whole = experiment.collectives == InnerCollectives::Priced;
  const auto held = [replay, whole](const PreparedOrder& prepared, const PricedDraw& draw) {
    const Derived& derived = prepared.derived;
    Timeline timeline =
        whole ? replay->run(derived, draw.prices) : replay->run(derived, draw.prices, draw.costs());
    const Seconds makespan = timeline.makespan();
    return EngineAnswer{makespan, std::move(timeline)};
  };
  return {held,
          [replay](const OrderStream& order, const Pricing& pricing) { return replay->run(order, pricing); }};
}

}  // namespace

const std::array<EngineEntry, kEngines>& engine_list() {
  static constexpr std::array<EngineEntry, kEngines> kList = {
      {{Engine::LongestPath, "longest-path", "longest path", "longest_path_s", "the longest path", false,
        true, no_bytes, start_longest_path},
       {Engine::MaxPlus, "max-plus", "max-plus", "max_plus_s", "(max,+)", false, false, no_bytes,
        start_max_plus},
       {Engine::SimGrid, "simgrid", "simgrid", "simgrid_s", "SimGrid", true, true, simgrid_bytes,
        start_simgrid}}};
  return kList;
}

std::vector<StartedEngine> start(EngineSet engines, const Experiment& folded) {
  std::vector<StartedEngine> started;
  for (const EngineEntry& entry : engine_list())
    if (engines.has(entry.engine)) started.push_back({entry.engine, entry.start(folded)});
  return started;
}

EngineSet all_engines() {
  EngineSet all = {};
  for (const EngineEntry& entry : engine_list()) all.add(entry.engine);
  return all;
}

std::string names_of(EngineSet engines, const std::string& between, const std::string& last) {
  std::vector<std::string> names;
  for (const EngineEntry& entry : engine_list())
    if (engines.has(entry.engine)) names.emplace_back(entry.name);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? between : last) + names[i];
  return text;
}

bool replays(EngineSet engines) {
  for (const EngineEntry& entry : engine_list())
    if (entry.replays && engines.has(entry.engine)) return true;
  return false;
}

}  // namespace spillway
