// bench-plan-layouts JOB...: how many legal layouts of a job `plan` settles in a second of one core, by
// bounds or evaluations, against the loop that users would write: each layout an experiment, evaluated for
// itself. The loop is measured on some of the layouts, spread over all. CPU time.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <vector>

#include "bench/measurement.h"
#include "search/layout_evaluator.h"
#include "search/search.h"

namespace spillway::bench {
namespace {

constexpr std::size_t kTop = 10, kOfTheLoop = 50;

// Counts this process alone, so that what else runs on the machine does not count.
double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

struct Settled {
  SearchCounts counts;
  double seconds;
};

// Times the search from the layouts to the ranking.
Settled searched(const PlanJob& job) {
  const double before = cpu_seconds();
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  LayoutEvaluator evaluator(job, layouts);
  const ComputeRound one_by_one = [&](const std::vector<std::size_t>& points, const Keep& keep) {
    for (const std::size_t point : points) {
      std::vector<FinishedPoint> finished;
      finished.push_back({point, evaluator(point)});
      keep(std::move(finished));
    }
  };
  const SearchResult result = search_plans(job, layouts, evaluator.layers(), kTop, one_by_one);
  if (result.plans.empty()) throw std::runtime_error(result.refusal);
  return {result.counts, cpu_seconds() - before};
}

// Returns the loop's seconds for one layout.
double loop_seconds(const PlanJob& job) {
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  const std::size_t some = std::min(kOfTheLoop, layouts.size());
  const double before = cpu_seconds();
  for (std::size_t i = 0; i < some; ++i) {
    Caches caches;
    if (evaluate_point(experiment_of(job, layouts[i * layouts.size() / some]), caches).schedules.empty())
      throw std::runtime_error("a layout without result");
  }
  return (cpu_seconds() - before) / static_cast<double>(some);
}

void measure(const char* path) {
  const PlanJob job = read_plan_job(path);
  const Settled plan = searched(job);
  const double loop = loop_seconds(job);
  const double layouts = static_cast<double>(plan.counts.legal);
  std::printf("%-10s %8zu %10zu %6u %12.0f %12.1f %8.0f %8.0f\n", job.name.c_str(), plan.counts.legal,
              plan.counts.evaluated, job.draws, layouts / plan.seconds, 1 / loop,
              layouts * loop / plan.seconds, peak_megabytes());
}

}  // namespace
}  // namespace spillway::bench

int main(int argc, char** argv) {
  try {
    if (argc < 2) throw std::runtime_error("usage: bench-plan-layouts JOB...");
    std::printf("%-10s %8s %10s %6s %12s %12s %8s %8s\n", "job", "legal", "evaluated", "draws", "plan /s",
                "loop /s", "ratio", "peak MB");
    for (int i = 1; i < argc; ++i) spillway::bench::measure(argv[i]);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench-plan-layouts: %s\n", failure.what());
    return EXIT_FAILURE;
  }
}
