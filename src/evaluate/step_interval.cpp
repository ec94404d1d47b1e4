#include "evaluate/step_interval.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/statistics.h"
#include "cost/unknowns.h"
#include "evaluate/priced_draw.h"
#include "optimize/plan.h"

namespace spillway {
namespace {

constexpr std::uint32_t kMostDraws = 100, kLeastDraws = 20;
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

}  // namespace

StepInterval speedup_interval(const StepInterval& baseline, const StepInterval& schedule) {
  std::vector<double> speedups;
  for (std::size_t draw = 0; draw < std::min(baseline.by_draw.size(), schedule.by_draw.size()); ++draw)
    speedups.push_back(baseline.by_draw[draw] / schedule.by_draw[draw]);
  return interval_of(std::move(speedups));
}

std::optional<StepInterval> step_interval(const Experiment& experiment, const ScheduleSpec& schedule,
                                          OrderCache& orders) {
  const AnalyticCosts* known = on_platform(experiment.costs);
  if (!known) return std::nullopt;
  DrawCosts costs(experiment);
  const auto prepared = plan(costs, orders, schedule).prepared;
  const auto makespan = [&] {
    const PricedDraw priced = price_draw(costs, prepared->derived, schedule.order, 0);
    PerEvent<Seconds> ends;
    return prepared->longest_path.makespan(priced.prices.durations, ends);
  };
  const Seconds predicted = makespan();
  Experiment drawn = experiment;
  std::vector<double> steps;
  const std::uint32_t draws = draws_for(*prepared, experiment.pipeline.replicas);
  for (std::uint32_t draw = 0; draw < draws; ++draw) {
    RandomStream random = stream(experiment.seed, draw);
    *on_platform(drawn.costs) = drawn_about(*known, random);
    costs.set_experiment(drawn);
    steps.push_back(makespan() / predicted * log_normal(random, kLeftOut));
  }
  return interval_of(std::move(steps));
}

}  // namespace spillway
