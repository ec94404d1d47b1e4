#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/statistics.h"
#include "base/stopwatch.h"
#include "derive/feeding.h"
#include "derive/modules.h"
#include "draws/schedule_facts.h"
#include "evaluate/draw_loop.h"
#include "evaluate/prepared_job.h"
#include "evaluate/priced_draw.h"
#include "memory/activations.h"
#include "timing/critical_path.h"
#include "timing/planning_wait.h"

namespace spillway {
namespace {

// Returns the encoder's time on the critical path by rank, ascending, without ranks that have none.
std::vector<EncoderOnCriticalPath> encoder_on_critical_path(const Derived& derived,
                                                            const Durations& durations,
                                                            const Timeline& longest_path) {
  std::vector<EncoderOnCriticalPath> by_rank;
  const std::optional<Feeding> feeding = feeding_of(derived);
  for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank)
    by_rank.push_back({RankId(rank), {}, {}});
  for (const CriticalEvent& at : critical_path(derived.order, longest_path)) {
    const Event& event = derived.order.event(at.event);
    if (!is_transposed_work(derived, feeding, event)) continue;
    EncoderOnCriticalPath& entry = by_rank[event.rank.index()];
    (event.runs_forward() ? entry.forward : entry.backward) += durations.at(at.event, at.lane);
  }
  std::erase_if(by_rank, [](const EncoderOnCriticalPath& entry) { return entry.time() == Seconds(); });
  return by_rank;
}

// Collects the encode time of each microbatch over all draws.
class EncoderTally {
 public:
  void add(const Derived& derived, const Durations& durations);
  // Empty if there is no transposed region that feeds a pipelined one.
  std::optional<EncoderTimes> times() const;

 private:
  std::vector<Seconds> all_;
};

// A microbatch may be encoded in several passes, so their times are summed.
void EncoderTally::add(const Derived& derived, const Durations& durations) {
  const std::optional<Feeding> feeding = feeding_of(derived);
  if (!feeding) return;
  const auto events = derived.order.events();
  const std::size_t first = all_.size();
  all_.resize(first + std::size_t{derived.pipeline.microbatches} * derived.pipeline.replicas);
  for (std::uint32_t index = 0; index < events.size(); ++index) {
    if (!is_transposed_forward(derived, feeding, events[index])) continue;
    const std::size_t own = first + std::size_t{events[index].microbatch.index()} * derived.pipeline.replicas;
    for (std::uint32_t lane = 0; lane < derived.pipeline.replicas; ++lane)
      all_[own + lane] += durations.at(EventId(index), lane);
  }
}

std::optional<EncoderTimes> EncoderTally::times() const {
  if (all_.empty()) return std::nullopt;
  std::vector<double> times;
  for (const Seconds time : all_) times.push_back(time.value());
  const auto [least, most] = std::minmax_element(all_.begin(), all_.end());
  return EncoderTimes{*least, Seconds(mean_of(std::move(times))), *most};
}

// Returns what a layer of each block holds for one microbatch. Empty if every layer counts the same.
std::vector<LayerActivations> layer_activations(const Experiment& experiment) {
  std::vector<LayerActivations> layers;
  if (const auto* given = std::get_if<GivenCosts>(&experiment.costs)) {
    for (const BlockProfile& block : given->blocks)
      layers.push_back(
          {block.activation.value_or(Bytes(1)).value(), weight_gradient_activation(block).value()});
  }
  return layers;
}

// Copies the figures for each replica that a simulated one stands for.
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

// Returns the ends of the longest path. Empty if no transposed region feeds a pipelined one.
std::optional<PathEnds> path_ends(const PreparedOrder& prepared, const Durations& durations,
                                  const Timeline& longest_path) {
  if (!feeding_of(prepared.derived)) return std::nullopt;
  PerEvent<Seconds> ends;
  return PathEnds{longest_path.makespan(),
                  prepared.longest_path.makespan(transposed_free(prepared.derived, durations), ends)};
}

// Measures a warm pass over prepared arrays.
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
  std::optional<Timeline> replayed;  // by the last engine that replays

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

// Sums of the two may differ in their last bits.
StepBound bound_of(const OrderBound& bound, const TimedDraw& timed) {
  StepBound least = bound.of(timed.durations());
  least.step = std::min(least.step, timed.longest_path.makespan());
  return least;
}

DrawResult result_of(const RunContext& with, const Derived& derived, const OrderBound& bound,
                     const TimedDraw& timed, std::uint32_t draw) {
  const Timeline& timeline = timed.timeline();
  const std::uint32_t equal = with.job.equal_replicas;
  const std::vector<RankFigures> ranks = rank_figures(derived, timed.durations(), timeline);
  std::vector<PeakMemory> memory;
  const ReorderedCosts costs = timed.priced.costs();
  if (with.job.states_memory) memory = peak_memory(derived, costs, timeline);
  return {.makespans = timed.makespans,
          .step = step_figures(ranks, timeline.makespan(), timed.path, equal, devices_by_rank(derived)),
          .ranks = repeated(ranks, equal),
          .memory = repeated(memory, equal),
          .account = with.job.costs.step_account(draw),
          .critical_path = critical_path_shares(
              derived, timed.durations(), timed.longest_path,
              [&](const Event& event, ReplicaId replica) { return costs.inside(event, replica); }),
          .step_end = costs.step_end() == nullptr ? std::nullopt : std::optional(*costs.step_end()),
          .bound = bound_of(bound, timed)};
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

// Delays the dates of the step, since its clock also runs while it waits for its plan.
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

// A rank holds its resting memory from the start of the step on, so the first level is not delayed.
void delay(Seconds exposed, FirstDraw& first) {
  first.timeline = delayed(std::move(first.timeline), exposed);
  for (BubbleCauses& rank : first.bubble) rank.plan = exposed;
  for (std::vector<MemoryLevel>& levels : first.memory)
    for (std::size_t i = 1; i < levels.size(); ++i) levels[i].since += exposed;
}

// Delays the step of every engine by its plan.
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

// Runs one schedule draw by draw. A streamed order gives only the figures of its steps.
class ScheduleRun {
 public:
  ScheduleRun(const RunContext& with, const ScheduleSpec& schedule) : with_(with), schedule_(schedule) {}

  ScheduleResult result() {
    for_each_order(with_.job.costs, with_.orders, schedule_, with_.job.streams(schedule_), 1,
                   [&](const DrawsOnOrder& one) {
                     std::visit([&](const auto& order) { run(order, one.draws.front(), one.planned_s); },
                                one.order);
                     with_.on_draw();
                   });
    complete_draws(with_.job.experiment(), schedule_, draws_,
                   [](Seconds planning, std::vector<DrawResult>& draws) { wait_for_plans(planning, draws); });
    delay(draws_.front().step.exposed_planning, first_);
    return assembled();
  }

 private:
  void run(const PlannedSchedule& planned, std::uint32_t draw, double planned_s) {
    const Derived& derived = planned.derived();
    TimedDraw timed = spillway::timed(with_, *planned.prepared, schedule_.order, draw);
    encoder_.add(derived, timed.durations());
    add_cost(planned, timed, draw, planned_s);
    add_owner(planned.owner);
    draws_.push_back(result_of(with_, derived, bound_of(planned.prepared), timed, draw));
    if (draw > 0) return;
    derived_ = {planned.prepared, &derived};
    peak_activations_ = peak_activations(derived, layer_activations(with_.job.experiment()));
    first_ = first_draw(with_.job, derived, draws_.front(), schedule_.order, std::move(timed));
  }

  // Draws of one order share its bound.
  const OrderBound& bound_of(const std::shared_ptr<const PreparedOrder>& order) {
    if (bounded_ != order) bound_.emplace(order->derived.order);
    bounded_ = order;
    return *bound_;
  }

  void run(const PlannedStream& planned, std::uint32_t draw, double) {
    const StreamedDraw one = streamed_draw(planned.order, with_.job.costs, draw, with_.job.engines);
    draws_.push_back({.makespans = one.makespans, .step = one.step, .ranks = {}, .memory = {}});
    if (draw > 0) return;
    add_owner(planned.owner);
    const Outline& outline = planned.order.outline();
    Order none = std::get<Order>(OrderBuilder(outline.pipeline.ranks).build());
    derived_ = std::make_shared<const Derived>(Derived{outline, std::move(none)});
  }

  void add_owner(const std::optional<OwnerChoice>& owner) {
    if (!owner) return;
    has_owner_ = true;
    owner_gap_ = std::max(owner_gap_, owner->spill_gap);
  }

  void add_cost(const PlannedSchedule& planned, const TimedDraw& timed, std::uint32_t draw,
                double planned_s) {
    if (draw == 0) {
      cost_.derive_s = planned_s;
      cost_.events = std::uint64_t{timed.durations().events()} * timed.durations().lanes();
      cost_.longest_path_s = longest_path_seconds(*planned.prepared, timed.durations());
    }
    const double different = with_.job.draws;
    if (schedule_.plans_by_sizes())
      cost_.plan_s =
          cost_.plan_s.value_or(0) + ((schedule_.owner_from_draw ? planned_s : 0) + timed.priced.planned_s +
                                      with_.job.costs.planned_s(planned.derived(), draw)) /
                                         different;
    for (const StartedEngine& started : with_.job.engines) {
      std::optional<double>& mean = cost_.one_run_s[started.engine];
      mean = mean.value_or(0) + *timed.host_s[started.engine] / different;
    }
  }

  ScheduleResult assembled() {
    const Experiment& experiment = with_.job.experiment();
    return {.name = schedule_.name,
            .system = schedule_.system,
            .assumptions = schedule_.assumptions,
            .split = split_rule(schedule_),
            .terms = terms_of(schedule_, experiment.pipeline, experiment.costs),
            .kept_terms = schedule_.kept_terms,
            .unranked = schedule_.unranked,
            .derived = derived_,
            .equal_replicas = with_.job.equal_replicas,
            .owner = has_owner_ ? to_string(schedule_.owner) : "",
            .owner_from_draw = schedule_.owner_from_draw,
            .owner_gap = owner_gap_,
            .planning = plans_each_step(experiment, schedule_) ? schedule_.planning : Seconds(),
            .order = schedule_.order,
            .draws = std::move(draws_),
            .first = std::move(first_),
            .encoder = encoder_.times(),
            .peak_activations = std::move(peak_activations_),
            .simulation = cost_};
  }

  const RunContext& with_;
  const ScheduleSpec& schedule_;
  std::shared_ptr<const Derived> derived_;  // of the first draw
  std::vector<DrawResult> draws_;
  FirstDraw first_;
  std::shared_ptr<const PreparedOrder> bounded_;
  std::optional<OrderBound> bound_;  // of `bounded_`
  EncoderTally encoder_;
  std::vector<double> peak_activations_;
  bool has_owner_ = false;
  Seconds owner_gap_;
  SimulationCost cost_;
};

}  // namespace

ScheduleResult run_schedule(const RunContext& with, const ScheduleSpec& schedule) {
  return ScheduleRun(with, schedule).result();
}

}  // namespace spillway
