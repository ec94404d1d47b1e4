#include "evaluate/step_interval.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
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
constexpr double kNoSpread = 1e-12;  // of rounding alone
constexpr double kEvents = 1e7;      // events priced in all draws together, unless kLeastDraws needs more

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

// The step of one schedule under drawn figures, over the predicted step.
class UncertainStep {
 public:
  UncertainStep(const Experiment& experiment, const ScheduleSpec& schedule, OrderCache& orders)
      : experiment_(experiment),
        drawn_(experiment),
        order_(schedule.order),
        costs_(experiment, &samples_),
        prepared_(plan(costs_, orders, schedule).prepared),
        predicted_(makespan()) {}

  std::uint32_t draws() const { return draws_for(*prepared_, experiment_.pipeline.replicas); }

  // With what the model leaves out.
  double drawn(std::uint32_t draw) {
    RandomStream random = stream(experiment_.seed, draw);
    const double step = drawn(random, all_unknowns());
    return step * log_normal(random, kLeftOut);
  }

  // Returns the variance of the step's logarithm if only `unknown` is drawn; 0 if the step does not depend on
  // it.
  double variance(Unknown unknown) {
    double sum = 0, squares = 0;
    const std::uint32_t count = draws() / kDrawsOverParts;
    for (std::uint32_t draw = 0; draw < count; ++draw) {
      RandomStream random = stream(experiment_.seed, draw);
      const double step = std::log(drawn(random, unknown));
      sum += step;
      squares += step * step;
    }
    const double mean = sum / count, spread = squares / count - mean * mean;
    return spread > kNoSpread ? spread : 0;
  }

 private:
  double drawn(RandomStream& random, Unknowns of) {
    AnalyticCosts& costs = *on_platform(drawn_.costs);
    costs = drawn_about(*on_platform(experiment_.costs), random, of);
    costs_.set_experiment(drawn_);
    return (makespan() + outside(costs)) / predicted_;
  }

  Seconds makespan() {
    const PricedDraw priced = price_draw(costs_, prepared_->derived, order_, 0);
    return prepared_->longest_path.makespan(priced.prices.durations, ends_);
  }

  // The time between steps, unless the framework's account of the end has it.
  static Seconds outside(const AnalyticCosts& costs) {
    if (costs.framework.reductions) return {};
    return on_host(costs.framework.between_steps.value, costs.platform.accelerator);
  }

  const Experiment& experiment_;
  Experiment drawn_;
  MicrobatchOrder order_;
  SampleCache samples_;
  DrawCosts costs_;
  std::shared_ptr<const PreparedOrder> prepared_;
  PerEvent<Seconds> ends_;
  Seconds predicted_;
};

}  // namespace

StepInterval speedup_interval(const StepInterval& baseline, const StepInterval& schedule) {
  std::vector<double> speedups;
  for (std::size_t draw = 0; draw < std::min(baseline.by_draw.size(), schedule.by_draw.size()); ++draw)
    speedups.push_back(baseline.by_draw[draw] / schedule.by_draw[draw]);
  return interval_of(std::move(speedups));
}

std::optional<StepInterval> step_interval(const Experiment& experiment, const ScheduleSpec& schedule,
                                          OrderCache& orders) {
  if (!on_platform(experiment.costs)) return std::nullopt;
  UncertainStep step(experiment, schedule, orders);
  std::vector<double> steps;
  for (std::uint32_t draw = 0; draw < step.draws(); ++draw) steps.push_back(step.drawn(draw));
  return interval_of(std::move(steps));
}

std::vector<IntervalPart> interval_parts(const Experiment& experiment, const ScheduleSpec& schedule,
                                         OrderCache& orders) {
  UncertainStep step(experiment, schedule, orders);
  std::vector<IntervalPart> parts;
  double all = 0;
  for (std::size_t i = 0; i < kUnknownWords.size(); ++i) {
    const auto unknown = static_cast<Unknown>(i);
    const double variance = unknown == Unknown::LeftOut ? kLeftOut * kLeftOut : step.variance(unknown);
    if (variance > 0) parts.push_back({unknown, variance});
    all += variance;
  }
  for (IntervalPart& part : parts) part.share /= all;
  std::ranges::stable_sort(parts, std::greater(), &IntervalPart::share);
  return parts;
}

}  // namespace spillway
