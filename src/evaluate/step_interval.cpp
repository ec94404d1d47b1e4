#include "evaluate/step_interval.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/statistics.h"
#include "cost/unknowns.h"
#include "evaluate/priced_draw.h"
#include "optimize/plan.h"

namespace spillway {
namespace {

constexpr std::uint32_t kMostDraws = 100, kLeastDraws = 20;
constexpr std::uint32_t kDrawsOverParts = 10;
constexpr std::uint32_t kDrawsToSeeOne = 4;  // of an unknown, whether any price depends on it
constexpr double kNoSpread = 1e-12;          // of rounding alone
constexpr double kEvents = 1e7;  // events priced in all draws together, unless kLeastDraws needs more

std::uint32_t draws_for(const PreparedOrder& prepared, std::uint32_t replicas) {
  const double events = static_cast<double>(prepared.derived.order.events().size()) * replicas;
  return static_cast<std::uint32_t>(std::clamp(kEvents / events, double{kLeastDraws}, double{kMostDraws}));
}

RandomStream stream(std::uint64_t seed, std::uint32_t draw) {
  return RandomStream(
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), draw, 0x756e6bU});
}

StepInterval interval_of(std::vector<double> by_draw) {
  std::vector<double> sorted = by_draw;
  std::ranges::sort(sorted);
  const auto draws = static_cast<std::uint32_t>(sorted.size());
  return {percentile(sorted, 5), percentile(sorted, 95), draws, std::move(by_draw)};
}

// The steps of schedules under drawn figures, over the predicted steps. A drawn machine prices all schedules,
// since they have most slabs in common.
class UncertainSteps {
 public:
  UncertainSteps(const Experiment& experiment, std::span<const ScheduleSpec> schedules, OrderCache& orders)
      : experiment_(experiment), drawn_(experiment), costs_(experiment, &samples_) {
    for (const ScheduleSpec& schedule : schedules)
      steps_.push_back({schedule.order, plan(costs_, orders, schedule).prepared, {}, {}, {}, {}, {}});
    for (Step& step : steps_) {
      step.predicted = makespan(step);
      step.known = step.durations;
      step.draws = draws_for(*step.prepared, experiment.pipeline.replicas);
    }
  }

  // With what the model leaves out.
  std::vector<StepInterval> intervals() {
    std::vector<std::vector<double>> by_draw(steps_.size());
    for (std::uint32_t draw = 0; draw < most_draws(); ++draw) {
      RandomStream random = stream(experiment_.seed, draw);
      draw_figures(random, all_unknowns());
      const double beyond = log_normal(random, left_out(*on_platform(experiment_.costs)));
      for (std::size_t i = 0; i < steps_.size(); ++i)
        if (draw < steps_[i].draws) by_draw[i].push_back(drawn(steps_[i]) * beyond);
    }
    std::vector<StepInterval> intervals;
    for (std::vector<double>& steps : by_draw) intervals.push_back(interval_of(std::move(steps)));
    return intervals;
  }

  // Returns the variance of the logarithm of the first schedule's step if only `unknown` is drawn; 0 if the
  // step does not depend on it.
  double variance(Unknown unknown) {
    Step& step = steps_.front();
    double sum = 0, squares = 0;
    bool priced_alike = true;
    const std::uint32_t count = step.draws / kDrawsOverParts;
    for (std::uint32_t draw = 0; draw < count; ++draw) {
      if (draw == kDrawsToSeeOne && priced_alike) return 0;
      RandomStream random = stream(experiment_.seed, draw);
      draw_figures(random, unknown);
      const double logarithm = std::log(drawn(step));
      priced_alike = priced_alike && unknown != Unknown::StepEnd &&
                     std::ranges::equal(step.durations.flat(), step.known.flat());
      sum += logarithm;
      squares += logarithm * logarithm;
    }
    const double mean = sum / count, spread = squares / count - mean * mean;
    return spread > kNoSpread ? spread : 0;
  }

 private:
  struct Step {
    MicrobatchOrder order;
    std::shared_ptr<const PreparedOrder> prepared;
    std::uint32_t draws;
    Seconds predicted;
    Durations known, durations;  // as predicted, and as last drawn
    PerEvent<Seconds> ends;
  };

  std::uint32_t most_draws() const { return std::ranges::max(steps_, {}, &Step::draws).draws; }

  void draw_figures(RandomStream& random, Unknowns of) {
    *on_platform(drawn_.costs) = drawn_about(*on_platform(experiment_.costs), random, of);
    costs_.set_experiment(drawn_);
  }

  double drawn(Step& step) { return (makespan(step) + outside(*on_platform(drawn_.costs))) / step.predicted; }

  Seconds makespan(Step& step) {
    step.durations = price_draw(costs_, step.prepared->derived, step.order, 0).prices.durations;
    return step.prepared->longest_path.makespan(step.durations, step.ends);
  }

  // The time between steps, an unknown of a step's end, unless the framework's account of that has it.
  static Seconds outside(const AnalyticCosts& costs) {
    if (costs.framework.reductions) return {};
    return on_host(costs.framework.between_steps.value, costs.platform.accelerator);
  }

  const Experiment& experiment_;
  Experiment drawn_;
  SampleCache samples_;
  DrawCosts costs_;
  std::vector<Step> steps_;
};

}  // namespace

StepInterval speedup_interval(const StepInterval& baseline, const StepInterval& schedule) {
  std::vector<double> speedups;
  for (std::size_t draw = 0; draw < std::min(baseline.by_draw.size(), schedule.by_draw.size()); ++draw)
    speedups.push_back(baseline.by_draw[draw] / schedule.by_draw[draw]);
  return interval_of(std::move(speedups));
}

std::vector<StepInterval> step_intervals(const Experiment& experiment,
                                         std::span<const ScheduleSpec> schedules, OrderCache& orders) {
  if (!on_platform(experiment.costs)) return {};
  return UncertainSteps(experiment, schedules, orders).intervals();
}

std::vector<IntervalPart> interval_parts(const Experiment& experiment, const ScheduleSpec& schedule,
                                         OrderCache& orders) {
  UncertainSteps step(experiment, {&schedule, 1}, orders);
  std::vector<IntervalPart> parts;
  double all = 0;
  for (std::size_t i = 0; i < kUnknownWords.size(); ++i) {
    const auto unknown = static_cast<Unknown>(i);
    const double variance = unknown == Unknown::LeftOut
                                ? std::pow(left_out(*on_platform(experiment.costs)), 2)
                                : step.variance(unknown);
    if (variance > 0) parts.push_back({unknown, variance});
    all += variance;
  }
  for (IntervalPart& part : parts) part.share /= all;
  std::ranges::stable_sort(parts, std::greater(), &IntervalPart::share);
  return parts;
}

}  // namespace spillway
