// Prices a whole experiment: every layer, every collective, every event, for one draw of each schedule. The
// clock leaves out reading the files and fitting the platform's operators. It times sampling, deriving,
// making the cost model and pricing, each by itself: the least of several runs, in milliseconds. usage:
// bench-pricing EXPERIMENT...
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>

#include "base/error.h"
#include "base/stopwatch.h"
#include "cost/analytic.h"
#include "cost/price.h"
#include "derive/derive.h"
#include "experiment/derive_options.h"
#include "input/experiment/experiment.h"
#include "optimize/plan.h"

namespace spillway::bench {
namespace {

constexpr int kRuns = 20;

// Returns the least of `kRuns` runs, in milliseconds.
template <class Run>
double least_ms(Run run) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kRuns; ++i) {
    const Stopwatch watch;
    run();
    least = std::min(least, 1e3 * watch.seconds());
  }
  return least;
}

void print(const Experiment& experiment, const ScheduleSpec& schedule) {
  const auto& [costs, workload] = std::get<AnalyticExperiment>(experiment.costs);
  const Pipeline& pipeline = experiment.pipeline;
  const auto sampled = [&] {
    return std::make_shared<const DrawLoads>(
        draw_loads(costs, sample(workload, {pipeline.microbatches, pipeline.replicas, experiment.seed, 0})));
  };
  OrderCache orders;
  const PlannedSchedule planned = plan(DrawCosts(experiment), orders, schedule);
  const Derived& derived = planned.derived();
  const auto loads = sampled();
  const AnalyticCostModel model(costs, derived, loads);
  const double sampling = least_ms(sampled);
  const double deriving = least_ms([&] {
    derive(experiment.model, schedule.schedule, schedule.cut, derive_options(experiment, schedule));
  });
  const double making = least_ms([&] { AnalyticCostModel(costs, derived, loads); });
  const double events = least_ms([&] { price(derived, model); });
  const double priced = making + events;
  std::printf("%-14s %-14s %7u %8zu %8.2f %8.2f %8.2f %8.2f %8.2f %6.1fx\n", experiment.name.c_str(),
              schedule.name.c_str(), device_grid(costs, pipeline).device_count(),
              derived.order.event_count() * std::size_t{pipeline.replicas}, sampling, deriving, making,
              events, priced, priced / deriving);
}

}  // namespace
}  // namespace spillway::bench

int main(int argc, char** argv) {
  using namespace spillway;
  try {
    std::printf("%-14s %-14s %7s %8s %8s %8s %8s %8s %8s %7s\n", "pricing, ms", "", "devices", "events",
                "sample", "derive", "model", "events", "priced", "/derive");
    for (int i = 1; i < argc; ++i) {
      const Experiment experiment = read_experiment(argv[i], {});
      for (const ScheduleSpec& schedule : experiment.schedules) bench::print(experiment, schedule);
    }
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench-pricing: %s\n", failure.what());
    return EXIT_FAILURE;
  }
}
