#include "evaluate/evaluate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/stopwatch.h"
#include "evaluate/balanced_reference.h"
#include "evaluate/evaluate_observed.h"
#include "evaluate/fit.h"
#include "evaluate/host_memory.h"
#include "evaluate/memory_limit.h"
#include "evaluate/priced_draw.h"
#include "evaluate/sink_in_pipeline.h"
#include "evaluate/straddling.h"
#include "evaluate/warnings.h"
#include "experiment/fold.h"
#include "maxplus/window_engine.h"
#include "memory/activations.h"
#include "policy/plan.h"
#include "sim/replay.h"

namespace spillway {
namespace {

Fabric fabric_of(const Experiment& experiment) {
  Fabric fabric{experiment.pipeline, 1, std::nullopt};
  if (const auto* analytic = std::get_if<AnalyticExperiment>(&experiment.costs)) {
    fabric.members = analytic->costs.parallelism.members();
    fabric.platform = analytic->costs.platform;
  }
  return fabric;
}

// What a layer of each block holds for one microbatch; nothing said where every layer counts the same.
std::vector<LayerActivations> layer_activations(const Experiment& experiment) {
  std::vector<LayerActivations> layers;
  if (const auto* given = std::get_if<GivenCosts>(&experiment.costs)) {
    for (const BlockProfile& block : given->blocks)
      layers.push_back(
          {block.activation.value_or(Bytes(1)).value(), weight_gradient_activation(block).value()});
  }
  return layers;
}

// What an experiment states of a block in place of its platform.
void add_stated(const std::string& block, const BlockCosts& costs, Evidence fixed,
                std::vector<PlatformInput>& inputs) {
  const std::string source = "the experiment";
  const Efficiency& efficiency = costs.efficiency;
  if (efficiency.compute)
    inputs.push_back({block + ": compute efficiency", *efficiency.compute, "", efficiency.evidence, source});
  if (efficiency.memory)
    inputs.push_back({block + ": memory efficiency", *efficiency.memory, "", efficiency.evidence, source});
  const double fixed_ms = costs.fixed_per_microbatch.value() * 1e3;
  if (fixed_ms > 0) inputs.push_back({block + ": fixed per microbatch", fixed_ms, "ms", fixed, source});
}

// What the times rest on; nothing where they are given.
std::vector<PlatformInput> inputs_of(const Experiment& experiment,
                                     const std::vector<FittedParameter>& fitted) {
  const auto* analytic = std::get_if<AnalyticExperiment>(&experiment.costs);
  if (!analytic) return {};
  const AnalyticCosts& costs = analytic->costs;
  std::vector<PlatformInput> inputs =
      platform_inputs(costs.platform, device_grid(costs, experiment.pipeline).device_count());
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) {
    const std::string pointer = "/model/blocks/" + std::to_string(i) + "/fixed_ms";
    const bool is_fitted = std::any_of(fitted.begin(), fitted.end(),
                                       [&](const FittedParameter& f) { return f.pointer == pointer; });
    add_stated("block " + experiment.model.blocks()[i].name, costs.blocks[i],
               is_fitted ? Evidence::Fitted : Evidence::Assumed, inputs);
  }
  return inputs;
}

// The same figures for each of the replicas that a simulated one stands for.
template <class Figures>
void repeat(std::vector<Figures>& ranks, std::uint32_t times) {
  const std::size_t simulated = ranks.size();
  for (std::uint32_t copy = 1; copy < times; ++copy) {
    for (std::size_t i = 0; i < simulated; ++i) {
      ranks.push_back(ranks[i]);
      ranks.back().replica = ReplicaId(copy);
    }
  }
}

Links links(const Engines& engines) {
  return engines.simgrid ? Links::Shared : Links::Own;
}

class Evaluator {
 public:
  Evaluator(const Experiment& experiment, const Engines& engines, OrderCache& orders, const OnDraw& on_draw)
      : costs_(folded(experiment, links(engines))), engines_(engines), orders_(orders), on_draw_(on_draw) {
    const std::size_t beside = engines.references ? missing_references(experiment).size() : 0;
    draws_to_run_ = (draws_are_equal() ? 1 : experiment.draws) * (experiment.schedules.size() + beside);
    if (engines.simgrid) replay_ = std::make_unique<Replay>(fabric_of(costs_.experiment()));
  }

  Evaluation run() {
    std::vector<WorkloadUse> workloads = held_to_losses(workload_uses(costs_));
    OrderCache of_fits;  // its own, so that a derivation that is timed is one
    Evaluation evaluation{costs_.experiment().name,
                          costs_.experiment().baseline,
                          fit_parameters(costs_, of_fits),
                          costs_.experiment().assumptions,
                          {}};
    for (const ScheduleSpec& schedule : costs_.experiment().schedules) {
      evaluation.schedules.push_back(run_schedule(schedule));
    }
    if (engines_.references) run_references(evaluation);
    add_speedups(evaluation);
    evaluation.job = job_of(costs_.experiment());
    evaluation.memory_limit = memory_limit(costs_.experiment());
    evaluation.inputs = inputs_of(costs_.experiment(), evaluation.fitted);
    evaluation.warnings = warnings_of(costs_);
    evaluation.workloads = std::move(workloads);
    for (ScheduleResult& schedule : evaluation.schedules)
      for (Warning& warning : memory_warnings(evaluation, schedule))
        schedule.warnings.push_back(std::move(warning));
    return evaluation;
  }

 private:
  void run_references(Evaluation& evaluation) {
    const Experiment& experiment = costs_.experiment();
    const std::vector<ScheduleSpec> missing = missing_references(experiment);
    for (const ScheduleSpec& reference : missing)
      evaluation.references.push_back(without_timeline(run_schedule(reference)));
    for (std::size_t i = 0; i < experiment.schedules.size(); ++i)
      evaluation.schedules[i].beside = beside(experiment, experiment.schedules[i], missing);
  }

  // Nothing of it is drawn or traced.
  static ScheduleResult without_timeline(ScheduleResult result) {
    result.durations = {};
    result.timeline = {};
    result.memory.clear();
    return result;
  }

  ScheduleResult run_schedule(const ScheduleSpec& schedule) {
    ScheduleResult result;
    const Stopwatch deriving;
    PlannedSchedule planned = plan(costs_, orders_, schedule);
    result.simulation.derive_s = deriving.seconds();
    result.name = schedule.name;
    result.equal_replicas = equal_replicas(costs_.experiment());
    if (planned.owner) result.owner = to_string(schedule.owner);
    result.owner_from_draw = schedule.owner_from_draw;
    result.order = schedule.order;
    EncoderTally encoder;
    const std::uint32_t draws = costs_.experiment().draws;
    for (std::uint32_t draw = 0; draw < draws; ++draw) {
      if (draw > 0 && draws_are_equal()) {
        result.draws.push_back(result.draws.front());
        continue;
      }
      if (schedule.owner_from_draw) planned = plan(costs_, orders_, schedule, draw);
      if (planned.owner) result.owner_gap = std::max(result.owner_gap, planned.owner->spill_gap);
      if (draw == 0) result.derived = {planned.prepared, &planned.derived()};
      run_draw(*planned.prepared, draw, encoder, result);
      if (on_draw_) on_draw_(++draws_run_, draws_to_run_);
    }
    result.encoder = encoder.times();
    result.peak_activations = peak_activations(*result.derived, layer_activations(costs_.experiment()));
    if (replay_) *result.simulation.simgrid_s /= draws_are_equal() ? 1 : draws;
    return result;
  }

  Timeline replay(const Derived& derived, const PricedDraw& priced) {
    if (costs_.experiment().collectives == InnerCollectives::Priced)
      return replay_->run(derived, priced.prices);
    return replay_->run(derived, priced.prices, priced.costs());
  }

  // Where nothing is drawn, the first draw stands for all.
  bool draws_are_equal() const { return !draws_differ(costs_.experiment()); }

  void run_draw(const PreparedOrder& prepared, std::uint32_t draw, EncoderTally& encoder,
                ScheduleResult& result) {
    const Derived& derived = prepared.derived;
    PricedDraw priced = price_draw(costs_, derived, result.order, prepared.longest_path, draw);
    hold_to_numbers(priced.timeline.makespan());
    encoder.add(derived, priced);
    DrawResult outcome;
    Timeline timeline = priced.timeline;
    if (engines_.longest_path) outcome.longest_path = priced.timeline.makespan();
    if (engines_.max_plus) outcome.max_plus = max_plus_makespan(derived.order, priced.prices.durations);
    if (replay_) {
      const Stopwatch replaying;
      timeline = replay(derived, priced);
      result.simulation.simgrid_s = result.simulation.simgrid_s.value_or(0) + replaying.seconds();
      outcome.simgrid = timeline.makespan();
    }
    outcome.makespan = timeline.makespan();
    outcome.account = costs_.step_account(draw);
    if (states_memory(costs_.experiment())) outcome.memory = peak_memory(derived, priced.costs(), timeline);
    outcome.ranks = rank_figures(derived, priced.prices.durations, timeline);
    if (priced.free_makespan)
      outcome.spill = step_spill(outcome.ranks, derived.pipeline.ranks,
                                 priced.timeline.makespan() - *priced.free_makespan);
    repeat(outcome.ranks, result.equal_replicas);
    repeat(outcome.memory, result.equal_replicas);
    outcome.bubble_fraction = bubble_fraction(outcome.ranks, outcome.makespan);
    outcome.bubble_rate = bubble_rate(outcome.ranks);
    if (draw == 0) keep_first_draw(prepared, priced, std::move(timeline), outcome, result);
    result.draws.push_back(std::move(outcome));
  }

  void keep_first_draw(const PreparedOrder& prepared, PricedDraw& priced, Timeline timeline,
                       const DrawResult& outcome, ScheduleResult& result) const {
    const Derived& derived = prepared.derived;
    if (outcome.spill)
      result.spill = {outcome.spill->max_spill, outcome.spill->exposed_encoder,
                      encoder_on_critical_path(derived, priced)};
    if (result.order != MicrobatchOrder::AsSampled) result.sampled_as = priced.orders;
    result.critical_path = critical_path_shares(derived, priced.prices.durations, priced.timeline);
    result.operators = priced.costs().priced_operators(derived.order);
    PerEvent<Seconds> ends(derived.order.event_count(), derived.pipeline.replicas);
    const Stopwatch evaluating;
    prepared.longest_path.makespan(priced.prices.durations, ends);
    result.simulation.longest_path_s = evaluating.seconds();
    result.simulation.events = std::uint64_t{derived.order.event_count()} * derived.pipeline.replicas;
    result.durations = std::move(priced.prices.durations);
    result.timeline = std::move(timeline);
    if (states_memory(costs_.experiment()))
      result.memory = memory_over_time(derived, priced.costs(), result.timeline, ReplicaId(0));
  }

  static void add_speedups(Evaluation& evaluation) {
    const std::vector<DrawResult>& baseline = evaluation.schedules[evaluation.baseline].draws;
    for (auto* results : {&evaluation.schedules, &evaluation.references})
      for (ScheduleResult& schedule : *results)
        for (std::size_t draw = 0; draw < schedule.draws.size(); ++draw)
          schedule.draws[draw].speedup = speedup(baseline[draw].makespan, schedule.draws[draw].makespan);
  }

  DrawCosts costs_;
  Engines engines_;
  OrderCache& orders_;
  const OnDraw& on_draw_;
  std::uint64_t draws_run_ = 0, draws_to_run_ = 0;
  std::unique_ptr<Replay> replay_;
};

// What is held at once: of what is run beside the schedules, one at a time.
Experiment held_at_once(Experiment experiment, const Engines& engines) {
  if (engines.references && !missing_references(experiment).empty())
    experiment.schedules.push_back(experiment.schedules.front());
  return experiment;
}

// In the place of those without a price.
void price_straddling(const Experiment& experiment, Evaluation& evaluation) {
  std::vector<Warning>& warnings = evaluation.warnings;
  if (std::erase_if(warnings, [](const Warning& warning) { return warning.code == "straddling"; }) == 0)
    return;
  for (Warning& warning : priced_straddling_warnings(experiment, evaluation.fitted))
    warnings.push_back(std::move(warning));
}

void warn_of_sinks(const Experiment& experiment, Evaluation& evaluation) {
  for (std::size_t i = 0; i < experiment.schedules.size(); ++i)
    for (Warning& warning : sink_warnings(experiment, experiment.schedules[i], evaluation.fitted))
      evaluation.schedules[i].warnings.push_back(std::move(warning));
}

}  // namespace

Evaluation evaluate(const Experiment& experiment, const Engines& engines, OrderCache& orders,
                    const OnDraw& on_draw) {
  ensure(engines.longest_path || engines.max_plus || engines.simgrid, "an evaluation needs an engine");
  const Experiment evaluated = folded(experiment, links(engines));
  if (auto violations = check_whole_timelines(evaluated); !violations.empty())
    throw InputError(std::move(violations));
  require_host_memory(held_at_once(evaluated, engines), engines);
  Evaluation evaluation = Evaluator(experiment, engines, orders, on_draw).run();
  if (engines.references) {
    price_straddling(experiment, evaluation);
    warn_of_sinks(experiment, evaluation);
  }
  return evaluation;
}

Evaluation evaluate(const Experiment& experiment, const Engines& engines, OrderCache& orders) {
  return evaluate(experiment, engines, orders, {});
}

Evaluation evaluate(const Experiment& experiment, const Engines& engines) {
  OrderCache orders;
  return evaluate(experiment, engines, orders);
}

}  // namespace spillway
