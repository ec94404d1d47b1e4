// Points of a sweep, evaluated on one core, in CPU time. Encoder durations change from point to point, and
// with them the owner maps of the transposed schedule; the pipeline stays, or does not. Prints the speed with
// a warm and with a cold OrderCache, and how many different maps the points have.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <set>
#include <string>
#include <vector>

#include "bench/measurement.h"
#include "evaluate/point.h"
#include "optimize/plan.h"

namespace spillway::bench {
namespace {

struct Size {
  std::uint32_t ranks;
  std::uint32_t microbatches;
};

// Returns the forward and backward of each microbatch, scattered around their mean.
MeasuredWork measured_work(std::uint32_t microbatches) {
  MeasuredWork steps(8);
  std::uint32_t state = 1;
  const auto factor = [&] {
    state = state * 1664525 + 1013904223;  // Numerical Recipes, section 7.1
    return 0.25 + 1.5 * (state >> 8) / (1U << 24);
  };
  for (auto& step : steps) {
    auto& replica = step.emplace_back();
    for (std::uint32_t m = 0; m < microbatches; ++m) {
      const double work = factor();
      replica.push_back({work, work});
    }
  }
  return steps;
}

BlockProfile profile(double forward_ms, double gradient_ms) {
  return {milliseconds(forward_ms), milliseconds(gradient_ms), milliseconds(gradient_ms), {}, {}, {}};
}

// Three schedules: the encoder transposed; stages uneven for the encoder's sake; and GPipe. The frozen
// encoder takes `share` of the backbone's forward.
Experiment experiment(Size size, double share, std::uint32_t draws) {
  const std::uint32_t backbone = 4 * size.ranks;
  const Model model({{"enc", Role::Encoder, size.ranks, false}, {"llm", Role::Backbone, backbone, true}});
  BlockProfile encoder = profile(4 * 18.5 * share, 0);
  encoder.measured_work = measured_work(size.microbatches);
  std::vector<std::uint32_t> uneven(size.ranks, 5);
  uneven.front() += 1, uneven.back() -= 1;
  const auto schedule = [](const char* text) { return std::get<Schedule>(parse_schedule(text)); };
  Experiment all{"points",
                 {},
                 {size.ranks, size.microbatches},
                 model,
                 PointToPoint::Overlapped,
                 InnerCollectives::Priced,
                 GivenCosts{{encoder, profile(18.5, 18)}, milliseconds(0.6)},
                 {{"transposed", schedule("transpose,1f1b"), {{size.ranks}}},
                  {"uneven", schedule("1f1b"), {}},
                  {"gpipe", schedule("gpipe"), {}}}};
  all.schedules[1].layers_per_rank = uneven;
  all.draws = draws;
  return all;
}

std::vector<Experiment> experiments(Size size, std::uint32_t draws, int count) {
  std::vector<Experiment> points;
  for (int i = 0; i < count; ++i) points.push_back(experiment(size, 0.02 + 0.5 * i / count, draws));
  return points;
}

// Counts this process alone, so that what else runs on the machine does not count.
double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double seconds_per_point(const std::vector<Experiment>& points, Caches& caches) {
  const double before = cpu_seconds();
  for (const Experiment& point : points) {
    const PointOutcome outcome = evaluate_point(point, caches);
    if (!(outcome.schedules.front().makespans.front() > Seconds()))
      throw std::runtime_error("a point took no time");
  }
  return (cpu_seconds() - before) / static_cast<double>(points.size());
}

// Returns the events of one lane of all schedules.
std::size_t events_of(const Experiment& point, Caches& caches) {
  std::size_t events = 0;
  for (const ScheduleSpec& schedule : point.schedules)
    events += plan(DrawCosts(point), caches.orders, schedule).derived().order.event_count();
  return events;
}

std::size_t different_maps(const std::vector<Experiment>& points, Caches& caches) {
  std::set<OwnerMap> maps;
  for (const Experiment& point : points)
    maps.insert(plan(DrawCosts(point), caches.orders, point.schedules.front()).owner->owner);
  return maps.size();
}

void print(Size size, std::uint32_t draws, int count) {
  const std::vector<Experiment> points = experiments(size, draws, count);
  Caches caches;
  const double cold = seconds_per_point(points, caches);
  double warm = cold;
  for (int i = 0; i < 3; ++i) warm = std::min(warm, seconds_per_point(points, caches));
  const double lanes = static_cast<double>(events_of(points.front(), caches)) * draws;
  std::printf("%5u %5u %6u %6d %8zu %10.2f %10.0f %10.2f %10.0f %14.1f %8.0f\n", size.ranks,
              size.microbatches, draws, count, different_maps(points, caches), 1e3 * cold, 1 / cold,
              1e3 * warm, 1 / warm, 1e-6 * lanes / warm, peak_megabytes());
}

}  // namespace
}  // namespace spillway::bench

int main(int argc, char** argv) {
  using namespace spillway::bench;
  try {
    const auto argument = [&](int i) {
      return static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10));
    };
    std::printf("%5s %5s %6s %6s %8s %10s %10s %10s %10s %14s %8s\n", "P", "M", "draws", "points", "maps",
                "cold ms", "points/s", "warm ms", "points/s", "M event-lanes/s", "peak MB");
    if (argc == 5) {
      print({argument(1), argument(2)}, argument(3), static_cast<int>(argument(4)));
      return EXIT_SUCCESS;
    }
    print({16, 64}, 1, 200);
    print({16, 64}, 64, 50);
    for (const std::uint32_t ranks : {4U, 8U, 16U, 32U})
      for (const std::uint32_t microbatches : {8U, 32U, 64U, 128U, 256U}) print({ranks, microbatches}, 64, 5);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench-points: %s\n", failure.what());
    return EXIT_FAILURE;
  }
}
