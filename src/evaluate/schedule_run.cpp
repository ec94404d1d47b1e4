#include <algorithm>
#include <utility>

#include "base/stopwatch.h"
#include "derive/feeding.h"
#include "derive/modules.h"
#include "draws/schedule_facts.h"
#include "evaluate/encoder_work.h"
#include "evaluate/memory_limit.h"
#include "evaluate/prepared_job.h"
#include "evaluate/priced_draw.h"
#include "evaluate/streamed_draws.h"
#include "memory/activations.h"
#include "optimize/plan.h"
#include "timing/planning_wait.h"

namespace spillway {
namespace {

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

// A copy of the figures for each of the replicas that a simulated one stands for.
template <class Figures>
std::vector<Figures> repeated(const std::vector<Figures>& simulated, std::uint32_t times) {
  std::vector<Figures> all = simulated;
  for (std::uint32_t copy = 1; copy < times; ++copy) {
    for (const Figures& figures : simulated) {
      all.push_back(figures);
      all.back().replica = ReplicaId(copy);
    }
  }
  return all;
}

// Of the longest path; none where no transposed region feeds a pipelined one.
std::optional<PathEnds> path_ends(const PreparedOrder& prepared, const Durations& durations,
                                  const Timeline& longest_path) {
  if (!feeding_of(prepared.derived)) return std::nullopt;
  PerEvent<Seconds> ends;
  return PathEnds{longest_path.makespan(),
                  prepared.longest_path.makespan(transposed_free(prepared.derived, durations), ends)};
}

// A warm pass over prepared arrays.
double longest_path_seconds(const PreparedOrder& prepared, const Durations& durations) {
  PerEvent<Seconds> ends(durations.events(), durations.lanes());
  const Stopwatch evaluating;
  prepared.longest_path.makespan(durations, ends);
  return evaluating.seconds();
}

// One draw, timed.
struct TimedDraw {
  PricedDraw priced;
  Timeline longest_path;
  std::optional<PathEnds> path;
  ByEngine<std::optional<Seconds>> makespans;
  ByEngine<std::optional<double>> host_s;
  std::optional<Timeline> replayed;  // by the last engine that does

  const Durations& durations() const { return priced.prices.durations; }
  const Timeline& timeline() const { return replayed ? *replayed : longest_path; }
};

TimedDraw timed(const RunContext& with, const PreparedOrder& prepared, MicrobatchOrder order,
                std::uint32_t draw) {
  PricedDraw priced = price_draw(with.job.costs, prepared.derived, order, draw);
  Timeline longest_path = prepared.longest_path.timeline(priced.prices.durations);
  hold_to_numbers(longest_path.makespan());
  const std::optional<PathEnds> path = path_ends(prepared, priced.prices.durations, longest_path);
  TimedDraw timed{std::move(priced), std::move(longest_path), path, {}, {}, {}};
  for (const StartedEngine& started : with.job.engines) {
    const Stopwatch running;
    EngineAnswer answer = started.run.held(prepared, timed.priced);
    timed.host_s[started.engine] = running.seconds();
    timed.makespans[started.engine] = answer.makespan;
    if (answer.timeline) timed.replayed = std::move(answer.timeline);
  }
  return timed;
}

DrawResult result_of(const RunContext& with, const Derived& derived, const TimedDraw& timed,
                     std::uint32_t draw) {
  const Timeline& timeline = timed.timeline();
  const std::uint32_t equal = with.job.equal_replicas;
  const std::vector<RankFigures> ranks = rank_figures(derived, timed.durations(), timeline);
  std::vector<PeakMemory> memory;
  if (with.job.states_memory) memory = peak_memory(derived, timed.priced.costs(), timeline);
  return {.makespans = timed.makespans,
          .step = step_figures(ranks, timeline.makespan(), timed.path, equal, devices_by_rank(derived)),
          .ranks = repeated(ranks, equal),
          .memory = repeated(memory, equal),
          .account = with.job.costs.step_account(draw),
          .critical_path =
              critical_path_shares(derived, timed.durations(), timed.longest_path,
                                   [costs = timed.priced.costs()](const Event& event, ReplicaId replica) {
                                     return costs.inside(event, replica);
                                   })};
}

FirstDraw first_draw(const PreparedJob& job, const Derived& derived, const DrawResult& result,
                     MicrobatchOrder order, TimedDraw timed) {
  std::optional<SpillAccount> spill;
  if (const auto& step = result.step.spill)
    spill = {step->max_spill, step->exposed_encoder,
             encoder_on_critical_path(derived, timed.durations(), timed.longest_path)};
  const ReorderedCosts costs = timed.priced.costs();
  const std::vector<PricedOperator> operators = costs.priced_operators(derived.order);
  std::vector<std::vector<MemoryLevel>> memory;
  if (job.states_memory) memory = memory_over_time(derived, costs, timed.timeline(), ReplicaId(0));
  return {
      .sampled_as = order == MicrobatchOrder::AsSampled ? std::vector<Permutation>{} : timed.priced.orders,
      .spill = std::move(spill),
      .operators = operators,
      .evidence = operators.empty() ? std::nullopt : std::optional(summarize(operators)),
      .traffic = step_traffic(job.costs, derived, timed.priced, 0),
      .bubble = bubble_causes(derived, timed.timeline()),
      .critical_path = critical_path(derived.order, timed.longest_path),
      .durations = std::move(timed.priced.prices.durations),
      .timeline = std::move(timed.replayed ? *timed.replayed : timed.longest_path),
      .memory = std::move(memory)};
}

// What is known of the step on the clock that runs while it waits.
void delay(Seconds exposed, DrawResult& draw) {
  wait_for_plan(exposed, draw.step);
  for (RankFigures& rank : draw.ranks) {
    rank.bubble += exposed;
    rank.idle += exposed;
    rank.first_start += exposed;
    rank.last_end += exposed;
  }
  for (PeakMemory& peak : draw.memory) peak.when += exposed;
}

// From the start of the step on a rank holds what it rests with.
void delay(Seconds exposed, FirstDraw& first) {
  first.timeline = delayed(std::move(first.timeline), exposed);
  for (BubbleCauses& rank : first.bubble) rank.plan = exposed;
  for (std::vector<MemoryLevel>& levels : first.memory)
    for (std::size_t i = 1; i < levels.size(); ++i) levels[i].since += exposed;
}

// Every engine's step waits for its plan.
void wait_for_plans(Seconds planning, std::vector<DrawResult>& draws) {
  for (const EngineEntry& entry : engine_list()) {
    if (!draws.front().makespans[entry.engine]) continue;
    wait_for_plans(
        planning, draws, [&](const DrawResult& draw) { return *draw.makespans[entry.engine]; },
        [&](Seconds exposed, DrawResult& draw) { *draw.makespans[entry.engine] += exposed; });
  }
  wait_for_plans(
      planning, draws, [](const DrawResult& draw) { return draw.critical_path.total(); },
      [](Seconds exposed, DrawResult& draw) { draw.critical_path.planning = exposed; });
  wait_for_plans(
      planning, draws, [](const DrawResult& draw) { return draw.step.makespan; },
      [](Seconds exposed, DrawResult& draw) { delay(exposed, draw); });
}

// What a schedule's draws come to.
struct DrawsRun {
  std::shared_ptr<const Derived> derived;  // of the first draw
  std::vector<DrawResult> draws;
  FirstDraw first;
  EncoderTally encoder;
  bool has_owner;
  Seconds owner_gap;
  SimulationCost cost;
};

// On expected sizes, unless each draw has a plan of its own.
PlannedSchedule plan_of(const RunContext& with, const ScheduleSpec& schedule, std::uint32_t draw) {
  return plan(with.job.costs, with.orders, schedule,
              schedule.owner_from_draw ? std::optional(draw) : std::nullopt);
}

// Where nothing is drawn, the first draw stands for all.
DrawsRun run_draws(const RunContext& with, const ScheduleSpec& schedule) {
  const Experiment& experiment = with.job.experiment();
  const std::uint32_t different = with.job.draws;
  DrawsRun run{};
  PlannedSchedule planned;
  for (std::uint32_t draw = 0; draw < different; ++draw) {
    const Stopwatch planning;
    if (draw == 0 || schedule.owner_from_draw) planned = plan_of(with, schedule, draw);
    const double planned_s = schedule.owner_from_draw ? planning.seconds() : 0;
    if (draw == 0) run.cost.derive_s = planning.seconds();
    if (planned.owner) run.owner_gap = std::max(run.owner_gap, planned.owner->spill_gap);
    const PreparedOrder& prepared = *planned.prepared;
    TimedDraw one = timed(with, prepared, schedule.order, draw);
    run.encoder.add(prepared.derived, one.durations());
    if (schedule.plans_by_sizes())
      run.cost.plan_s =
          run.cost.plan_s.value_or(0) +
          (planned_s + one.priced.planned_s + with.job.costs.planned_s(prepared.derived, draw)) / different;
    for (const StartedEngine& started : with.job.engines) {
      std::optional<double>& mean = run.cost.one_run_s[started.engine];
      mean = mean.value_or(0) + *one.host_s[started.engine] / different;
    }
    run.draws.push_back(result_of(with, prepared.derived, one, draw));
    if (draw == 0) {
      run.derived = {planned.prepared, &prepared.derived};
      run.has_owner = planned.owner.has_value();
      run.cost.events = std::uint64_t{one.durations().events()} * one.durations().lanes();
      run.cost.longest_path_s = longest_path_seconds(prepared, one.durations());
      run.first = first_draw(with.job, prepared.derived, run.draws.front(), schedule.order, std::move(one));
    }
    with.on_draw();
  }
  run.draws.resize(experiment.draws, run.draws.front());
  if (plans_each_step(experiment, schedule)) {
    wait_for_plans(schedule.planning, run.draws);
    delay(run.draws.front().step.exposed_planning, run.first);
  }
  return run;
}

// Of an order that is not held: what is left out is in no table.
ScheduleResult streamed_schedule(const RunContext& with, const ScheduleSpec& schedule) {
  const Experiment& experiment = with.job.experiment();
  StreamedDraws run =
      streamed_draws(with.job.costs, schedule, with.job.draws, with.job.engines, with.on_draw);
  std::vector<DrawResult> draws;
  for (const StreamedDraw& draw : run.draws)
    draws.push_back({.makespans = draw.makespans, .step = draw.step, .ranks = {}, .memory = {}});
  draws.resize(experiment.draws, draws.front());
  Order none = std::get<Order>(OrderBuilder(run.outline.pipeline.ranks).build());
  return {.name = schedule.name,
          .assumptions = schedule.assumptions,
          .split = split_rule(schedule),
          .derived = std::make_shared<const Derived>(Derived{std::move(run.outline), std::move(none)}),
          .equal_replicas = with.job.equal_replicas,
          .owner = run.owner ? to_string(schedule.owner) : "",
          .owner_gap = run.owner ? run.owner->spill_gap : Seconds(),
          .draws = std::move(draws)};
}

ScheduleResult held_schedule(const RunContext& with, const ScheduleSpec& schedule) {
  const Experiment& experiment = with.job.experiment();
  DrawsRun run = run_draws(with, schedule);
  std::vector<Warning> of_memory = memory_warnings(run.draws, with.job.limit);
  return {.name = schedule.name,
          .system = schedule.system,
          .assumptions = schedule.assumptions,
          .split = split_rule(schedule),
          .derived = run.derived,
          .equal_replicas = with.job.equal_replicas,
          .owner = run.has_owner ? to_string(schedule.owner) : "",
          .owner_from_draw = schedule.owner_from_draw,
          .owner_gap = run.owner_gap,
          .planning = plans_each_step(experiment, schedule) ? schedule.planning : Seconds(),
          .order = schedule.order,
          .draws = std::move(run.draws),
          .first = std::move(run.first),
          .encoder = run.encoder.times(),
          .peak_activations = peak_activations(*run.derived, layer_activations(experiment)),
          .simulation = run.cost,
          .warnings = std::move(of_memory)};
}

}  // namespace

ScheduleResult run_schedule(const RunContext& with, const ScheduleSpec& schedule) {
  ScheduleResult result =
      with.job.streams(schedule) ? streamed_schedule(with, schedule) : held_schedule(with, schedule);
  const Experiment& experiment = with.job.experiment();
  result.terms = terms_of(schedule, experiment.pipeline, experiment.costs);
  result.kept_terms = schedule.kept_terms;
  result.unranked = schedule.unranked;
  return result;
}

}  // namespace spillway
