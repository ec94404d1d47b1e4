// Draws of one order are lanes of one batch, which are priced and run together. evaluate() takes draws one at
// a time; tests/evaluate/point_test.cpp compares both.
#include "evaluate/point.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <variant>

#include "base/error.h"
#include "cost/price.h"
#include "derive/modules.h"
#include "draws/fold.h"
#include "evaluate/draw_loop.h"
#include "evaluate/engines.h"
#include "evaluate/fit.h"
#include "evaluate/host_memory.h"
#include "evaluate/memory_limit.h"
#include "evaluate/priced_draw.h"
#include "evaluate/streamed_draws.h"
#include "evaluate/workload_use.h"
#include "optimize/ordered_draws.h"
#include "timing/planning_wait.h"

namespace spillway {
namespace {

// The number of draws whose cost models are made together. It is smaller if each draw may have an order of
// its own, since orders are held.
constexpr std::uint32_t kDrawsAtOnce = 64, kOrdersAtOnce = 8;

// The steps of one schedule, with each different draw once.
struct DrawnSteps {
  std::vector<StepFigures> draws;
  std::optional<Bytes> peak_memory = {};
  std::optional<Evidence> evidence = {};
};

// Twice as many lanes as the widest vectors have. The live times of a usual pipeline then stay in the cache.
constexpr std::uint32_t kLanesAtOnce = 16;

// Returns how many neighbouring replicas a block may not separate: those that compute together, and those
// that meet at reductions whose time depends on draw or replica.
std::uint32_t together(const PreparedOrder& prepared, const std::vector<const Pricing*>& draws) {
  std::uint32_t lanes = 1;
  for (std::uint32_t price_class = 0; price_class < prepared.classes.count(); ++price_class) {
    const Event& event = prepared.derived.order.event(prepared.classes.representative(price_class));
    if (event.joined_replicas == 1) continue;
    const auto uniform = [&](const Pricing* pricing) { return pricing->uniform(event); };
    const bool parts = event.kind == EventKind::StepBarrier ||
                       (event.communicates() && std::all_of(draws.begin(), draws.end(), uniform));
    if (!parts) lanes = std::lcm(lanes, event.joined_replicas);
  }
  return lanes;
}

// Returns the times of each lane, or of one that stands for all. Empty if nothing spills.
std::vector<FreeLane> free_lanes(const PreparedOrder& prepared, const LanePrices& prices, PricedRows& free,
                                 std::uint32_t first, std::uint32_t lanes, LiveEnds& ends) {
  free.set_lanes(first, prices.free_is_uniform() ? 1 : lanes);
  return prepared.evaluator.free_lanes(free, ends);
}

// Runs draws of one order together, one block of lanes at a time. Returns figures by draw and replica that
// equal those of each draw run by itself, to the last bit. Holds the durations of a few lanes, whatever their
// number, or of the replicas that compute together if these are more. Contract: at least one draw; the
// pricings are of the order.
std::vector<LaneFigures> lane_figures(const PreparedOrder& prepared,
                                      const std::vector<const Pricing*>& draws) {
  const LanePrices prices(prepared.derived, prepared.classes, draws);
  const bool spills = prepared.evaluator.spills();
  const std::uint32_t most = std::lcm(kLanesAtOnce, together(prepared, draws));
  PricedRows counted(prices, TransposedWork::Counted);
  std::optional<PricedRows> free;
  if (spills) free.emplace(prices, TransposedWork::Free);
  std::vector<FreeLane> without;
  std::vector<LaneFigures> all;
  LiveEnds ends;
  for (std::uint32_t first = 0; first < prices.lanes(); first += most) {
    const std::uint32_t lanes = std::min(most, prices.lanes() - first);
    if (spills && (first == 0 || !prices.free_is_uniform()))
      without = free_lanes(prepared, prices, *free, first, lanes, ends);
    counted.set_lanes(first, lanes);
    for (LaneFigures& lane : prepared.evaluator.figures(counted, without, ends))
      all.push_back(std::move(lane));
  }
  return all;
}

std::optional<Evidence> weakest_of(const Order& order, const Breakdown& breakdown) {
  const std::vector<PricedOperator> operators = breakdown.priced_operators(order);
  return operators.empty() ? std::nullopt : std::optional(summarize(operators).weakest);
}

class PointEvaluator {
 public:
  PointEvaluator(DrawCosts& costs, OrderCache& orders, const PointWork& work)
      : costs_(costs), orders_(orders), work_(work) {}

  PointOutcome run() {
    held_to_losses(workload_uses(costs_));
    fit_parameters(costs_, orders_);
    PointOutcome outcome;
    outcome.baseline = experiment().baseline;
    outcome.accounts = accounts();
    if (const auto limit = memory_limit(experiment())) outcome.memory_limit = limit->bytes;
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
    const bool streams = is_streamed(experiment(), schedule);
    if (!streams) require_order_memory(experiment().pipeline);
    DrawnSteps steps{std::vector<StepFigures>(different_draws(experiment()))};
    for_each_order(
        costs_, orders_, schedule, streams, schedule.owner_from_draw ? kOrdersAtOnce : kDrawsAtOnce,
        [&](const DrawsOnOrder& some) {
          std::visit([&](const auto& order) { add(order, some.draws, schedule.order, steps); }, some.order);
        },
        work_.planned);
    complete_draws(
        experiment(), schedule, steps.draws, [](Seconds planning, std::vector<StepFigures>& draws) {
          wait_for_plans(
              planning, draws, [](const StepFigures& step) { return step.makespan; }, wait_for_plan);
        });
    ScheduleOutcome outcome = spillway::outcome_of(schedule.name, steps.draws);
    outcome.peak_memory = steps.peak_memory;
    outcome.evidence = steps.evidence;
    outcome.unranked = schedule.unranked;
    return outcome;
  }

  void add(const PlannedStream& stream, const std::vector<std::uint32_t>& draws, MicrobatchOrder,
           DrawnSteps& steps) const {
    for (const std::uint32_t draw : draws) steps.draws[draw] = streamed_draw(stream.order, costs_, draw).step;
  }

  void add(const PlannedSchedule& planned, const std::vector<std::uint32_t>& draws, MicrobatchOrder order,
           DrawnSteps& steps) const {
    const Derived& derived = planned.derived();
    const CostModels as_sampled = cost_models(costs_, derived, draws);
    const DrawOrders orders = order_draws(order, derived, as_sampled);
    const OrderedDraws ordered(as_sampled, orders);
    const std::vector<LaneFigures> lanes = lane_figures(*planned.prepared, ordered.pricings());
    const std::uint32_t replicas = derived.pipeline.replicas;
    const std::vector<double> devices = devices_by_rank(derived);
    for (std::size_t i = 0; i < draws.size(); ++i) {
      StepFigures& figures = steps.draws[draws[i]];
      figures = step_figures(std::span(lanes).subspan(i * replicas, replicas), equal_replicas(experiment()),
                             devices);
      hold_to_numbers(figures.makespan);
    }
    if (draws.front() == 0 && work_.evidence)
      steps.evidence = weakest_of(derived.order, *ordered.models().front());
    if (!states_memory(experiment())) return;
    for (const CostModel* costs : ordered.models())
      steps.peak_memory = std::max(steps.peak_memory.value_or(Bytes()), peak_of(*planned.prepared, *costs));
  }

  // The order alone determines the peak, unless something waits between its transfer and its pass.
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
  const PointWork& work_;
};

// Returns makespans by draw.
std::vector<Seconds> replayed(const DrawCosts& costs, OrderCache& orders, const ScheduleSpec& schedule,
                              const RunEngine& replay) {
  std::vector<Seconds> makespans;
  for_each_order(costs, orders, schedule, false, 1, [&](const DrawsOnOrder& one) {
    const auto& planned = std::get<PlannedSchedule>(one.order);
    const PricedDraw priced = price_draw(costs, planned.derived(), schedule.order, one.draws.front());
    makespans.push_back(replay(*planned.prepared, priced).makespan);
  });
  complete_draws(costs.experiment(), schedule, makespans, [](Seconds planning, std::vector<Seconds>& steps) {
    wait_for_plans(planning, steps, std::identity(),
                   [](Seconds exposed, Seconds& makespan) { makespan += exposed; });
  });
  return makespans;
}

}  // namespace

ScheduleOutcome outcome_of(std::string name, std::span<const StepFigures> draws) {
  ScheduleOutcome outcome{std::move(name)};
  for (const StepFigures& draw : draws) {
    outcome.makespans.push_back(draw.makespan);
    for (std::size_t i = 0; i < kKeptFigures.size(); ++i)
      outcome.figures[i].push_back(kKeptFigures[i].of(draw));
    if (draw.spill) outcome.spills.push_back(*draw.spill);
  }
  ensure(outcome.spills.empty() || outcome.spills.size() == draws.size(), "all draws spill or none");
  return outcome;
}

PointOutcome evaluate_point(const Experiment& experiment, Caches& caches) {
  DrawCosts costs(folded(experiment, Links::Own), &caches.samples);
  return evaluate_point(costs, caches.orders);
}

PointOutcome evaluate_point(DrawCosts& costs, OrderCache& orders, const PointWork& work) {
  return PointEvaluator(costs, orders, work).run();
}

std::optional<Evidence> weakest_evidence(const Experiment& experiment, OrderCache& orders) {
  const DrawCosts costs(folded(experiment, Links::Own));
  const ScheduleSpec& schedule = costs.experiment().schedules.front();
  if (is_streamed(costs.experiment(), schedule)) return std::nullopt;
  const PlannedSchedule planned = plan(costs, orders, schedule);
  return weakest_of(planned.derived().order, *costs.of(planned.derived(), 0));
}

PointOutcome with_replays(PointOutcome outcome, const Experiment& experiment, Caches& caches) {
  DrawCosts costs(held_whole(experiment, {}));
  fit_parameters(costs, caches.orders);
  const RunEngine replay = start({Engine::SimGrid}, costs.experiment()).front().run.held;
  for (std::size_t i = 0; i < outcome.schedules.size(); ++i)
    outcome.schedules[i].replayed = replayed(costs, caches.orders, costs.experiment().schedules[i], replay);
  return outcome;
}

}  // namespace spillway
