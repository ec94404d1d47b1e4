#include "optimize/plan.h"

#include <algorithm>
#include <utility>

#include "base/exact_sum.h"
#include "base/ticks.h"
#include "draws/planning_draws.h"
#include "experiment/derive_options.h"
#include "optimize/input_plan.h"
#include "optimize/layer_split.h"
#include "optimize/ordered_draws.h"
#include "optimize/owner_plan.h"
#include "optimize/segment_search.h"

namespace spillway {
namespace {

// Exact sums, which do not depend on the order of summation.
struct StageSums {
  ExactSum forward, input_gradient, weight_gradient, activations, weight_gradient_activations;

  StageExpectation over(double visits) const {
    return {Seconds(forward.over(visits)), Seconds(input_gradient.over(visits)),
            Seconds(weight_gradient.over(visits)), activations.over(visits),
            weight_gradient_activations.over(visits)};
  }
};

void round_to_ticks(Expectations& expected) {
  std::vector<Seconds*> times = {&expected.transfer};
  for (StageExpectation& stage : expected.stages)
    times.insert(times.end(), {&stage.forward, &stage.input_gradient, &stage.weight_gradient});
  round_to_ticks(times);
}

// Sums over draws, replicas and microbatches, and their counts.
class Sums {
 public:
  explicit Sums(const Derived& derived) : derived_(derived), stages_(derived.stages.size()) {}

  void add(const CostModel& costs) {
    for (std::uint32_t replica = 0; replica < derived_.pipeline.replicas; ++replica) {
      for (std::uint32_t stage = 0; stage < derived_.stages.size(); ++stage) {
        for (std::uint32_t m = 0; m < derived_.pipeline.microbatches; ++m)
          add(costs, StageId(stage), MicrobatchId(m), ReplicaId(replica));
      }
      add_transfers(costs, ReplicaId(replica));
      visits_ += derived_.pipeline.microbatches;
    }
  }

  Expectations means() const {
    Expectations means;
    for (std::uint32_t id = 0; id < stages_.size(); ++id) {
      StageExpectation& stage = means.stages.emplace_back(stages_[id].over(visits_));
      if (stage.activations > 0) continue;
      stage.activations = derived_.stages[id].layers.size();
      stage.weight_gradient_activations = stage.activations / 2;
    }
    if (transfers_ > 0) means.transfer = Seconds(transfer_.over(transfers_));
    round_to_ticks(means);
    return means;
  }

 private:
  void add(const CostModel& costs, StageId id, MicrobatchId m, ReplicaId replica) {
    const auto pass = [&](Pass which) { return costs.pass(which, id, m, replica); };
    StageSums& stage = stages_[id.index()];
    stage.forward.add(pass(Pass::Forward));
    stage.input_gradient.add(pass(Pass::InputGradient));
    stage.weight_gradient.add(pass(Pass::WeightGradient));
    const Held held = costs.held(id, m, replica);
    stage.activations.add(held.activations);
    stage.weight_gradient_activations.add(held.for_weight_gradient);
  }

  void add_transfers(const Pricing& costs, ReplicaId replica) {
    for (const Event& event : derived_.order.events()) {
      const bool inside =
          event.transfers() && derived_.stage(event.stage).region == derived_.stage(event.peer_stage).region;
      if (!inside) continue;
      transfer_.add(costs.transfer(event, replica).alone);
      transfers_ += 1;
    }
  }

  const Derived& derived_;
  std::vector<StageSums> stages_;
  ExactSum transfer_;
  double visits_ = 0;
  double transfers_ = 0;
};

// Returns mean times and bytes by StageId of `derived`, over draws, replicas and microbatches. If bytes are
// not stated, activations are counted in layers, and those for the weight gradient as half of them.
// `transfer` is the mean of transfers between ranks inside regions.
Expectations expectations_of(const DrawCosts& costs, const Derived& derived, const PlanningDraws& draws) {
  Sums sums(derived);
  for (const std::uint32_t draw : draws.numbers()) sums.add(*costs.of(derived, draw));
  return sums.means();
}

// An inner order that holds more activations than another must gain at least this share of the step.
constexpr double kWorthHolding = 1e-3;

bool any_plans(const Schedule& schedule) {
  return std::any_of(schedule.skeletons.begin(), schedule.skeletons.end(),
                     [](const Skeleton& skeleton) { return plans(skeleton); });
}

// Returns true if the rule places passes inside the body, so that an owner map does not describe it fully.
bool places(const InputRule& input) {
  return input.passes != InputPasses::Enclosing || input.backwards != InputBackwards::BehindBody;
}

// Returns true if this order holds more activations than the skeleton's own order.
bool holds_more(InnerOrder inner) {
  return inner == InnerOrder::Turns || inner == InnerOrder::Listed;
}

class Planner {
 public:
  Planner(const DrawCosts& costs, OrderCache& orders, const ScheduleSpec& schedule,
          std::optional<std::uint32_t> draw)
      : costs_(costs),
        orders_(orders),
        draws_(draw ? PlanningDraws::of_its_own(*draw) : PlanningDraws::expected(costs.experiment())),
        schedule_(with_planned_stages(costs, schedule, draws_)),
        alike_(!draw && microbatches_are_alike(costs.experiment())),
        options_(derive_options(costs.experiment(), schedule_)) {
    inner_ = inner_orders(model(), schedule_.schedule, schedule_.cut, options_);
    if (any_plans(schedule.schedule) || !inner_.empty())
      options_.expected = expectations_of(costs, prepared(options_)->derived, draws_);
  }

  PlannedSchedule best() const {
    if (inner_.empty()) return with(options_.inner);
    if (inner_.size() == 1) return with(inner_.front());
    std::optional<PlannedSchedule> best;
    Seconds least;
    for (const InnerOrder& inner : inner_) {
      if (best && holds_more(inner) && !exposes_transposed(*best->prepared, least)) break;
      PlannedSchedule planned = with(inner);
      const Seconds makespan = expected_makespan(*planned.prepared);
      if (best && makespan >= least * (1 - kWorthHolding)) continue;
      least = makespan;
      best = std::move(planned);
    }
    return *std::move(best);
  }

  // Returns the stated order if the search finds none that is faster.
  PlannedSchedule searched() const {
    PlannedSchedule stated = best();
    const CostModels models = cost_models(costs_, stated.derived(), draws_.numbers());
    const Schedule schedule = searched_schedule(schedule_.segments, stated.derived(), models);
    PlannedSchedule found = stated;
    found.prepared = orders_.derive({model(), schedule, schedule_.cut, options_});
    return expected_makespan(*found.prepared) < expected_makespan(*stated.prepared) ? found : stated;
  }

 private:
  const Model& model() const { return costs_.experiment().model; }

  std::shared_ptr<const PreparedOrder> prepared(const DeriveOptions& options) const {
    return orders_.derive({model(), schedule_.schedule, schedule_.cut, options});
  }

  // Plans with the owner maps made for this inner order.
  PlannedSchedule with(const InnerOrder& inner) const {
    DeriveOptions options = options_;
    options.inner = inner;
    const std::shared_ptr<const PreparedOrder> unmapped = prepared(options);
    if (unmapped->derived.inputs() == 0 || schedule_.encodes)
      return {unmapped, schedule_.cut, std::move(options), std::nullopt};
    // Maps that are only tried are not cached.
    const auto derive_with = [&](const OwnerMap& owner) {
      DeriveOptions tried = options;
      tried.owners = by_input(owner, options.pipeline.microbatches);
      return derive(model(), schedule_.schedule, schedule_.cut, tried);
    };
    if (places(schedule_.input)) return placed(options, unmapped->derived);
    OwnerChoice choice = plan_owner({costs_, schedule_, draws_, alike_}, *unmapped, derive_with);
    options.owners = by_input(choice.owner, options.pipeline.microbatches);
    return {prepared(options), schedule_.cut, std::move(options), std::move(choice)};
  }

  std::vector<InputPlan> input_plans(const Derived& unmapped) const {
    switch (schedule_.input.passes) {
      case InputPasses::Enclosing:
      case InputPasses::OneEach:
        return {plan_at_entry(unmapped, schedule_.input)};
      case InputPasses::Uniform:
        return {plan_uniform(unmapped)};
      case InputPasses::InGaps:
        return plans_in_gaps({costs_, schedule_, draws_, alike_}, unmapped);
    }
    throw ContractBreach("unknown rule of an input's passes");
  }

  // Plans with the inputs' passes placed by their rule. Takes the fastest of several plans, and among equals
  // the first.
  PlannedSchedule placed(const DeriveOptions& options, const Derived& unmapped) const {
    const std::vector<InputPlan> plans = input_plans(unmapped);
    std::optional<DeriveOptions> best;
    Seconds least;
    for (const InputPlan& plan : plans) {
      DeriveOptions tried = options;
      tried.owners.assign(unmapped.inputs(), plan.owner);
      tried.placed = plan.placed;
      tried.hidden = plan.hidden;
      if (plans.size() > 1) {
        const PreparedOrder order(derive(model(), schedule_.schedule, schedule_.cut, tried));
        const Seconds makespan = expected_makespan(order);
        if (best && makespan >= least) continue;
        least = makespan;
      }
      best = std::move(tried);
    }
    return {prepared(*best), schedule_.cut, std::move(*best), std::nullopt};
  }

  // Returns true if the step would be shorter with free transposed regions behind the inputs.
  bool exposes_transposed(const PreparedOrder& planned, Seconds makespan) const {
    const Derived& derived = planned.derived;
    std::vector<EventId> free;
    for (std::uint32_t index = 0; index < derived.order.event_count(); ++index) {
      const Event& event = derived.order.event(EventId(index));
      if (!event.computes()) continue;
      const RegionId region = derived.stage(event.stage).region;
      const bool transposed = derived.placement[region.index()].layout == Layout::Replicated;
      if (transposed && !derived.is_input(region)) free.emplace_back(index);
    }
    return expected_makespan(planned, free) < makespan * (1 - kWorthHolding);
  }

  // Takes microbatches in the order of the schedule's rule, or as sampled if the order would have to be
  // searched for.
  Seconds expected_makespan(const PreparedOrder& planned, const std::vector<EventId>& free = {}) const {
    const Derived& derived = planned.derived;
    const bool searched = schedule_.order == MicrobatchOrder::Makespan;
    const MicrobatchOrder rule = searched ? MicrobatchOrder::AsSampled : schedule_.order;
    const CostModels as_sampled = cost_models(costs_, derived, draws_.numbers());
    const DrawOrders orders = order_draws(rule, derived, as_sampled);
    const OrderedDraws draws(as_sampled, orders);
    return free.empty() ? mean_makespan(planned, draws)
                        : mean_makespan(derived, planned.longest_path, draws, free);
  }

  const DrawCosts& costs_;
  OrderCache& orders_;
  PlanningDraws draws_;
  ScheduleSpec schedule_;
  bool alike_;
  DeriveOptions options_;
  std::vector<InnerOrder> inner_;
};

}  // namespace

bool microbatches_are_alike(const Experiment& experiment) {
  const auto* given = std::get_if<GivenCosts>(&experiment.costs);
  if (!given) return true;
  const auto drawn = [](const BlockProfile& block) { return block.image_work.has_value(); };
  const auto stated = [](const BlockProfile& block) {
    return !block.work.empty() || !block.measured_work.empty();
  };
  return std::any_of(given->blocks.begin(), given->blocks.end(), drawn) &&
         std::none_of(given->blocks.begin(), given->blocks.end(), stated);
}

void level(std::span<Seconds> encode) {
  Seconds sum;
  for (const Seconds time : encode) sum += time;
  std::fill(encode.begin(), encode.end(), sum / static_cast<double>(encode.size()));
}

OwnerProblem in_ticks(OwnerProblem problem) {
  std::vector<Seconds*> times;
  for (std::vector<Seconds>* list : {&problem.encode, &problem.slack})
    for (Seconds& time : *list) times.push_back(&time);
  round_to_ticks(times);
  return problem;
}

PlannedSchedule plan(const DrawCosts& costs, OrderCache& orders, const ScheduleSpec& schedule,
                     std::optional<std::uint32_t> draw) {
  const Planner planner(costs, orders, schedule, draw);
  return schedule.segments.segments() > 1 ? planner.searched() : planner.best();
}

}  // namespace spillway
