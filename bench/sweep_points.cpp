// bench-sweep-points SWEEP: the points of a sweep file on one core and without a store, in CPU time: the
// times of reading and of evaluating an experiment.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <vector>

#include "bench/measurement.h"
#include "evaluate/point.h"
#include "sweep/grid/file.h"

namespace spillway::bench {
namespace {

// Counts this process alone, so that what else runs on the machine does not count.
double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void print(const char* what, double seconds, std::size_t points) {
  std::printf("  %-30s %10.0f points/s %10.1f us\n", what, static_cast<double>(points) / seconds,
              1e6 * seconds / static_cast<double>(points));
}

void measure(const SweepFile& file) {
  Caches caches;
  double reading = 0, evaluating = 0;
  for (std::size_t point = 0; point < file.points(); ++point) {
    const double before = cpu_seconds();
    const Experiment experiment = file.experiment(point);
    const double read = cpu_seconds();
    if (evaluate_point(experiment, caches).schedules.empty())
      throw std::runtime_error("a point without result");
    reading += read - before;
    evaluating += cpu_seconds() - read;
  }
  print("read an experiment", reading, file.points());
  print("evaluate_point", evaluating, file.points());
}

}  // namespace
}  // namespace spillway::bench

int main(int argc, char** argv) {
  using namespace spillway;
  try {
    if (argc != 2) throw std::runtime_error("usage: bench-sweep-points SWEEP");
    bench::measure(SweepFile(argv[1]));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench-sweep-points: %s\n", failure.what());
    return EXIT_FAILURE;
  }
}
