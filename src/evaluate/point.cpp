// Draws of one order are lanes of one batch, priced and run together; evaluate() takes them one at
// a time and is what tests hold this against: tests/evaluate/point_test.cpp.
#include "evaluate/point.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/error.h"
#include "derive/modules.h"
#include "draws/fold.h"
#include "evaluate/engines.h"
#include "evaluate/fit.h"
#include "evaluate/host_memory.h"
#include "evaluate/lane_blocks.h"
#include "evaluate/memory_limit.h"
#include "evaluate/priced_draw.h"
#include "evaluate/streamed_draws.h"
#include "evaluate/warnings.h"
#include "evaluate/workload_use.h"
#include "optimize/ordered_draws.h"
#include "optimize/plan.h"
#include "timing/planning_wait.h"

namespace spillway {
namespace {

// Draws whose cost models are made together; fewer where each may have an order of its own, which is held.
constexpr std::uint32_t kDrawsAtOnce = 64, kOrdersAtOnce = 8;

// Draws that are priced on one order.
struct Batch {
  std::shared_ptr<const PreparedOrder> prepared;
  std::vector<std::uint32_t> draws;
};

// Of one schedule, each different draw once.
struct DrawnSteps {
  std::vector<StepFigures> draws;
  std::optional<Bytes> peak_memory = {};
  std::optional<Evidence> evidence = {};
};

std::optional<Evidence> weakest_evidence(const Order& order, const Breakdown& breakdown) {
  const std::vector<PricedOperator> operators = breakdown.priced_operators(order);
  return operators.empty() ? std::nullopt : std::optional(summarize(operators).weakest);
}

class PointEvaluator {
 public:
  PointEvaluator(DrawCosts& costs, OrderCache& orders) : costs_(costs), orders_(orders) {}

  PointOutcome run() {
    held_to_losses(workload_uses(costs_));
    fit_parameters(costs_, orders_);
    PointOutcome outcome;
    outcome.baseline = experiment().baseline;
    outcome.accounts = accounts();
    if (const auto limit = memory_limit(experiment())) outcome.memory_limit = limit->bytes;
    outcome.warnings = warnings_of(costs_);
    outcome.microbatches = microbatches();
    for (const ScheduleSpec& schedule : experiment().schedules)
      outcome.schedules.push_back(outcome_of(schedule));
    return outcome;
  }

 private:
  const Experiment& experiment() const { return costs_.experiment(); }

  std::uint64_t microbatches() const {
    const Pipeline& pipeline = experiment().pipeline;
    return std::uint64_t{pipeline.microbatches} * pipeline.replicas * equal_replicas(experiment());
  }

  ScheduleOutcome outcome_of(const ScheduleSpec& schedule) const {
    DrawnSteps steps = is_streamed(experiment(), schedule) ? streamed(schedule) : held(schedule);
    steps.draws.resize(experiment().draws, steps.draws.front());
    if (plans_each_step(experiment(), schedule))
      wait_for_plans(
          schedule.planning, steps.draws, [](const StepFigures& step) { return step.makespan; },
          wait_for_plan);
    ScheduleOutcome outcome = spillway::outcome_of(schedule.name, steps.draws);
    outcome.peak_memory = steps.peak_memory;
    outcome.evidence = steps.evidence;
    outcome.unranked = schedule.unranked;
    return outcome;
  }

  DrawnSteps streamed(const ScheduleSpec& schedule) const {
    DrawnSteps steps;
    for (const StreamedDraw& draw : streamed_draws(costs_, schedule, different_draws(experiment())).draws)
      steps.draws.push_back(draw.step);
    return steps;
  }

  DrawnSteps held(const ScheduleSpec& schedule) const {
    require_order_memory(experiment().pipeline);
    const std::uint32_t different = different_draws(experiment());
    const std::uint32_t at_once = schedule.owner_from_draw ? kOrdersAtOnce : kDrawsAtOnce;
    std::shared_ptr<const PreparedOrder> planned;
    if (!schedule.owner_from_draw) planned = plan(costs_, orders_, schedule).prepared;
    DrawnSteps steps{std::vector<StepFigures>(different)};
    for (std::uint32_t first = 0; first < different; first += at_once) {
      std::vector<std::uint32_t> some;
      for (std::uint32_t draw = first; draw < std::min(first + at_once, different); ++draw)
        some.push_back(draw);
      const std::vector<Batch> batches =
          planned ? std::vector<Batch>{{planned, std::move(some)}} : planned_batches(schedule, some);
      for (const Batch& batch : batches) add(batch, schedule.order, steps);
    }
    return steps;
  }

  // A map for each draw: those that get the same one share their order.
  std::vector<Batch> planned_batches(const ScheduleSpec& schedule,
                                     const std::vector<std::uint32_t>& draws) const {
    std::vector<Batch> batches;
    for (std::uint32_t draw : draws) {
      std::shared_ptr<const PreparedOrder> prepared = plan(costs_, orders_, schedule, draw).prepared;
      const auto same = std::find_if(batches.begin(), batches.end(),
                                     [&](const Batch& batch) { return batch.prepared == prepared; });
      if (same == batches.end())
        batches.push_back({std::move(prepared), {draw}});
      else
        same->draws.push_back(draw);
    }
    return batches;
  }

  void add(const Batch& batch, MicrobatchOrder order, DrawnSteps& steps) const {
    const Derived& derived = batch.prepared->derived;
    const CostModels as_sampled = cost_models(costs_, derived, batch.draws);
    const DrawOrders orders = order_draws(order, derived, as_sampled);
    const OrderedDraws ordered(as_sampled, orders);
    const std::vector<LaneFigures> lanes = lane_figures(*batch.prepared, ordered.pricings());
    const std::uint32_t replicas = derived.pipeline.replicas;
    const std::vector<double> devices = devices_by_rank(derived);
    for (std::size_t i = 0; i < batch.draws.size(); ++i) {
      StepFigures& figures = steps.draws[batch.draws[i]];
      figures = step_figures(std::span(lanes).subspan(i * replicas, replicas), equal_replicas(experiment()),
                             devices);
      hold_to_numbers(figures.makespan);
    }
    if (batch.draws.front() == 0) steps.evidence = weakest_evidence(derived.order, *ordered.models().front());
    if (!states_memory(experiment())) return;
    for (const CostModel* costs : ordered.models())
      steps.peak_memory = std::max(steps.peak_memory.value_or(Bytes()), peak_of(*batch.prepared, *costs));
  }

  // The order alone says it, unless something waits between its transfer and its pass.
  static Bytes peak_of(const PreparedOrder& prepared, const CostModel& costs) {
    if (!anything_waits(prepared.derived, costs)) return most_memory(prepared.derived, costs);
    const Durations durations = price(prepared.derived, costs).durations;
    return most_memory(prepared.derived, costs, prepared.longest_path.timeline(durations));
  }

  std::vector<StepAccount> accounts() const {
    std::vector<StepAccount> accounts;
    for (std::uint32_t draw = 0; draw < different_draws(experiment()); ++draw)
      if (const auto account = costs_.step_account(draw)) accounts.push_back(*account);
    if (!accounts.empty()) accounts.resize(experiment().draws, accounts.front());
    return accounts;
  }

  DrawCosts& costs_;
  OrderCache& orders_;
};

// By draw.
std::vector<Seconds> replayed(const DrawCosts& costs, OrderCache& orders, const ScheduleSpec& schedule,
                              const RunEngine& replay) {
  const Experiment& experiment = costs.experiment();
  const std::uint32_t different = different_draws(experiment);
  PlannedSchedule planned;
  if (!schedule.owner_from_draw) planned = plan(costs, orders, schedule);
  std::vector<Seconds> makespans;
  for (std::uint32_t draw = 0; draw < different; ++draw) {
    if (schedule.owner_from_draw) planned = plan(costs, orders, schedule, draw);
    const PricedDraw priced = price_draw(costs, planned.derived(), schedule.order, draw);
    makespans.push_back(replay(*planned.prepared, priced).makespan);
  }
  makespans.resize(experiment.draws, makespans.front());
  if (plans_each_step(experiment, schedule))
    wait_for_plans(schedule.planning, makespans, std::identity(),
                   [](Seconds exposed, Seconds& makespan) { makespan += exposed; });
  return makespans;
}

}  // namespace

ScheduleOutcome outcome_of(std::string name, std::span<const StepFigures> draws) {
  ScheduleOutcome outcome{std::move(name)};
  for (const StepFigures& draw : draws) {
    outcome.makespans.push_back(draw.makespan);
    outcome.bubble_fractions.push_back(draw.bubble_fraction);
    if (draw.spill) outcome.spills.push_back(*draw.spill);
  }
  ensure(outcome.spills.empty() || outcome.spills.size() == draws.size(), "all draws spill or none");
  return outcome;
}

PointOutcome evaluate_point(const Experiment& experiment, Caches& caches) {
  DrawCosts costs(folded(experiment, Links::Own), &caches.samples);
  return evaluate_point(costs, caches.orders);
}

PointOutcome evaluate_point(DrawCosts& costs, OrderCache& orders) {
  return PointEvaluator(costs, orders).run();
}

PointOutcome replay_point(const Experiment& experiment, Caches& caches) {
  PointOutcome outcome = evaluate_point(experiment, caches);
  DrawCosts costs(held_whole(experiment, {}));
  fit_parameters(costs, caches.orders);
  const RunEngine replay = start({Engine::SimGrid}, costs.experiment()).front().run.held;
  for (std::size_t i = 0; i < outcome.schedules.size(); ++i)
    outcome.schedules[i].replayed = replayed(costs, caches.orders, costs.experiment().schedules[i], replay);
  return outcome;
}

}  // namespace spillway
