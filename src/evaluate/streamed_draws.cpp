#include "evaluate/streamed_draws.h"

#include <algorithm>

#include "base/exact_sum.h"
#include "derive/order_stream.h"
#include "derive/owner.h"
#include "experiment/derive_options.h"
#include "experiment/fold.h"
#include "policy/layer_split.h"
#include "policy/owner_plan.h"
#include "policy/plan.h"
#include "timing/streamed_step.h"

namespace spillway {
namespace {

// About four events a slot, and some 330 bytes an event with the order and a block of priced lanes.
constexpr std::uint64_t kMostHeldSlots = 500'000;

// What the schedule wants that a stream has not.
std::vector<Violation> unstreamable(const Experiment& experiment, const ScheduleSpec& schedule) {
  std::vector<Violation> violations;
  const auto refuse = [&](const char* pointer, const std::string& found) {
    violations.push_back(
        {"", pointer, "no such key for a step too large to be held, which is streamed", found});
  };
  if (schedule.order != MicrobatchOrder::AsSampled)
    refuse("/schedules/order", "an order in " + schedule.name);
  if (schedule.owner_from_draw) refuse("/schedules/owner_from", "a map for each draw in " + schedule.name);
  if (schedule.input != InputRule{}) refuse("/schedules/system", schedule.system);
  if (experiment.memory_limit) refuse("/memory", "a limit");
  return violations;
}

EventPrices prices_of(const Pricing& pricing, ReplicaId replica) {
  return {[&pricing, replica](const Event& event) { return event_seconds(pricing, event, replica); },
          [&pricing](const Event& event) { return pricing.uniform(event); }};
}

// Replica by replica.
std::vector<StreamedStep> steps_of(const OrderStream& order, const DrawCosts& costs, std::uint32_t draw) {
  const auto model = costs.of(order.outline(), draw);
  std::vector<StreamedStep> steps;
  for (std::uint32_t replica = 0; replica < order.outline().pipeline.replicas; ++replica)
    steps.push_back(streamed_step(order, prices_of(*model, ReplicaId(replica))));
  return steps;
}

StepFigures figures_of(const OrderStream& order, const DrawCosts& costs, std::uint32_t draw) {
  std::vector<LaneFigures> lanes;
  for (const StreamedStep& step : steps_of(order, costs, draw)) lanes.push_back(lane_figures(step));
  return step_figures(lanes, equal_replicas(costs.experiment()));
}

class StreamPlanner {
 public:
  StreamPlanner(const DrawCosts& costs, const ScheduleSpec& schedule)
      : costs_(costs),
        draws_(PlanningDraws::expected(costs.experiment())),
        schedule_(with_planned_stages(costs, schedule, draws_)),
        options_(derive_options(costs.experiment(), schedule_)) {}

  OrderStream stream() const {
    OrderStream unmapped = stream_with({});
    if (unmapped.outline().placement.front().layout != Layout::Replicated) return unmapped;
    const MakespanOf makespan = [&](const OwnerMap& owner) { return mean_makespan(stream_with(owner)); };
    return stream_with(choose_owner(schedule_.owner, problem(unmapped), makespan, evaluations()).owner);
  }

 private:
  OrderStream stream_with(const OwnerMap& owner) const {
    DeriveOptions options = options_;
    if (!owner.empty()) options.owners = {owner};
    return OrderStream(costs_.experiment().model, schedule_.schedule, schedule_.cut, options);
  }

  double weight() const { return static_cast<double>(draws_.numbers().size()) * options_.pipeline.replicas; }

  std::uint32_t evaluations() const {
    const double events = 4.0 * options_.pipeline.ranks * options_.pipeline.microbatches * weight();
    return affordable_evaluations(events);
  }

  Seconds mean_makespan(const OrderStream& order) const {
    Seconds sum;
    for (const std::uint32_t draw : draws_.numbers()) sum += figures_of(order, costs_, draw).makespan;
    return sum / static_cast<double>(draws_.numbers().size());
  }

  OwnerProblem problem(const OrderStream& order) const {
    std::vector<ExactSum> encode(options_.pipeline.microbatches), slack(options_.pipeline.ranks);
    for (const std::uint32_t draw : draws_.numbers()) {
      for (const StreamedStep& step : steps_of(order, costs_, draw))
        for (std::size_t rank = 0; rank < slack.size(); ++rank)
          slack[rank].add(step.ranks[rank].warm_up_slack);
      add_encodes(*costs_.of(order.outline(), draw), options_.pipeline, encode);
    }
    OwnerProblem problem{means_over(weight(), encode), means_over(weight(), slack)};
    if (microbatches_are_alike(costs_.experiment())) level(problem.encode);
    return in_ticks(std::move(problem));
  }

  const DrawCosts& costs_;
  PlanningDraws draws_;
  ScheduleSpec schedule_;
  DeriveOptions options_;
};

}  // namespace

bool is_streamed(const Experiment& experiment, const ScheduleSpec& schedule) {
  const DeriveOptions options = derive_options(experiment, schedule);
  const auto finds_nothing = [&](auto check) {
    return check(experiment.model, schedule.schedule, schedule.cut, options).empty();
  };
  const std::uint64_t slots = std::uint64_t{options.pipeline.ranks} * options.pipeline.microbatches;
  if (slots > kMostHeldSlots && unstreamable(experiment, schedule).empty() && finds_nothing(check_stream))
    return true;
  return !finds_nothing(check_derive);
}

std::vector<StepFigures> streamed_draws(const DrawCosts& costs, const ScheduleSpec& schedule,
                                        std::uint32_t draws) {
  if (auto violations = unstreamable(costs.experiment(), schedule); !violations.empty())
    throw InputError(std::move(violations));
  const OrderStream order = StreamPlanner(costs, schedule).stream();
  std::vector<StepFigures> figures;
  for (std::uint32_t draw = 0; draw < draws; ++draw) figures.push_back(figures_of(order, costs, draw));
  return figures;
}

}  // namespace spillway
