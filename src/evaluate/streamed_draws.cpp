#include "evaluate/streamed_draws.h"

#include <algorithm>

#include "base/exact_sum.h"
#include "draws/fold.h"
#include "evaluate/memory_limit.h"
#include "evaluate/priced_draw.h"
#include "experiment/derive_options.h"
#include "optimize/layer_split.h"
#include "optimize/owner_plan.h"
#include "optimize/plan.h"
#include "timing/streamed_step.h"

namespace spillway {
namespace {

// A slot has about four events. An event takes about 330 bytes, with the order and a block of priced lanes.
constexpr std::uint64_t kMostHeldSlots = 500'000;

// Returns what the schedule asks for and a stream does not have.
std::vector<Violation> unstreamable(const Experiment& experiment, const ScheduleSpec& schedule) {
  std::vector<Violation> violations;
  const auto refuse = [&](const char* pointer, const std::string& found) {
    violations.push_back(
        {"", pointer, "no such key, since this step is too large to hold in memory and is streamed", found});
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

// Returns the steps of all replicas.
std::vector<StreamedStep> steps_of(const OrderStream& order, const Pricing& pricing) {
  std::vector<StreamedStep> steps;
  for (std::uint32_t replica = 0; replica < order.outline().pipeline.replicas; ++replica)
    steps.push_back(streamed_step(order, prices_of(pricing, ReplicaId(replica))));
  return steps;
}

StepFigures figures_of(const std::vector<StreamedStep>& steps, const DrawCosts& costs) {
  std::vector<LaneFigures> lanes;
  for (const StreamedStep& step : steps) lanes.push_back(lane_figures(step));
  return step_figures(lanes, equal_replicas(costs.experiment()));
}

// The computing spans of ranks are those of the replay. Spills are those of the longest path, whatever links
// are shared.
StepFigures figures_of(const StreamedStep& longest_path, const StreamedReplay& replay,
                       const DrawCosts& costs) {
  StreamedStep step = longest_path;
  for (std::size_t rank = 0; rank < step.ranks.size(); ++rank) {
    step.ranks[rank].first_start = replay.ranks[rank].first_start;
    step.ranks[rank].last_end = replay.ranks[rank].last_end;
  }
  LaneFigures lane = lane_figures(step);
  lane.end = replay.end;
  return step_figures({&lane, 1}, equal_replicas(costs.experiment()));
}

class StreamPlanner {
 public:
  StreamPlanner(const DrawCosts& costs, const ScheduleSpec& schedule)
      : costs_(costs),
        draws_(PlanningDraws::expected(costs.experiment())),
        schedule_(with_planned_stages(costs, schedule, draws_)),
        options_(derive_options(costs.experiment(), schedule_)) {}

  // Empty if nothing is transposed.
  std::optional<OwnerChoice> owner() const {
    const OrderStream unmapped = stream_with({});
    if (unmapped.outline().inputs() == 0) return std::nullopt;
    const MakespanOf makespan = [&](const OwnerMap& owner) { return mean_makespan(stream_with(owner)); };
    return choose_owner(schedule_.owner, problem(unmapped), makespan, evaluations());
  }

  OrderStream stream(const std::optional<OwnerChoice>& owner) const {
    return stream_with(owner ? owner->owner : OwnerMap{});
  }

 private:
  OrderStream stream_with(const OwnerMap& owner) const {
    DeriveOptions options = options_;
    options.owners = by_input(owner, options.pipeline.microbatches);
    return OrderStream(costs_.experiment().model, schedule_.schedule, schedule_.cut, options);
  }

  double weight() const { return static_cast<double>(draws_.numbers().size()) * options_.pipeline.replicas; }

  std::uint32_t evaluations() const {
    const double events = 4.0 * options_.pipeline.ranks * options_.pipeline.microbatches * weight();
    return affordable_evaluations(events);
  }

  Seconds mean_makespan(const OrderStream& order) const {
    Seconds sum;
    for (const std::uint32_t draw : draws_.numbers()) sum += streamed_draw(order, costs_, draw).step.makespan;
    return sum / static_cast<double>(draws_.numbers().size());
  }

  OwnerProblem problem(const OrderStream& order) const {
    EncodeSums encode(order.outline());
    std::vector<ExactSum> slack(options_.pipeline.ranks);
    for (const std::uint32_t draw : draws_.numbers()) {
      const auto pricing = costs_.of(order.outline(), draw);
      for (const StreamedStep& step : steps_of(order, *pricing))
        for (std::size_t rank = 0; rank < slack.size(); ++rank)
          slack[rank].add(step.ranks[rank].warm_up_slack);
      encode.add(*pricing);
    }
    return in_ticks({encode.means(weight(), microbatches_are_alike(costs_.experiment())),
                     means_over(weight(), slack), order.outline().inputs()});
  }

  const DrawCosts& costs_;
  PlanningDraws draws_;
  ScheduleSpec schedule_;
  DeriveOptions options_;
};

// Returns true if the order is large and a stream has all that the schedule asks for.
bool is_better_streamed(const Experiment& experiment, const ScheduleSpec& schedule) {
  const DeriveOptions options = derive_options(experiment, schedule);
  const std::uint64_t slots = std::uint64_t{options.pipeline.ranks} * options.pipeline.microbatches;
  return slots > kMostHeldSlots && unstreamable(experiment, schedule).empty() &&
         check_stream(experiment.model, schedule.schedule, schedule.cut, options).empty();
}

}  // namespace

bool is_streamed(const Experiment& experiment, const ScheduleSpec& schedule) {
  if (is_better_streamed(experiment, schedule)) return true;
  return !check_derive(experiment, schedule).empty();
}

bool is_streamed(const Experiment& folded, const ScheduleSpec& schedule, const Engines& engines) {
  const auto is_held = [&](const EngineEntry& entry) {
    return engines.run.has(entry.engine) &&
           (!entry.streams || (entry.replays && folded.pipeline.replicas > 1));
  };
  const auto has_system = [](const ScheduleSpec& one) { return !one.system.empty(); };
  return engines.figures_only && std::ranges::none_of(engine_list(), is_held) && !states_memory(folded) &&
         std::ranges::none_of(folded.schedules, has_system) && is_better_streamed(folded, schedule);
}

StreamedDraw streamed_draw(const OrderStream& order, const DrawCosts& costs, std::uint32_t draw,
                           std::span<const StartedEngine> engines) {
  const auto pricing = costs.of(order.outline(), draw);
  const std::vector<StreamedStep> steps = steps_of(order, *pricing);
  StreamedDraw one{{}, figures_of(steps, costs)};
  const Seconds longest_path = one.step.makespan;
  hold_to_numbers(longest_path);
  for (const StartedEngine& started : engines) {
    one.makespans[started.engine] = longest_path;
    if (!started.run.streamed) continue;
    const StreamedReplay replay = started.run.streamed(order, *pricing);
    one.makespans[started.engine] = replay.end;
    one.step = figures_of(steps.front(), replay, costs);
  }
  return one;
}

PlannedStream plan_stream(const DrawCosts& costs, const ScheduleSpec& schedule) {
  if (auto violations = unstreamable(costs.experiment(), schedule); !violations.empty())
    throw InputError(std::move(violations));
  const StreamPlanner planner(costs, schedule);
  std::optional<OwnerChoice> owner = planner.owner();
  return {planner.stream(owner), std::move(owner)};
}

}  // namespace spillway
