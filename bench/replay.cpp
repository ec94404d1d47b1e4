// The replay of 1F1B, timed like its rivals: the order is there, as their program text is; building the
// simulated platform and running are on the clock. Deriving and pricing are timed as well, with a second
// line. usage: replay P M
#include "sim/replay.h"

#include <cstdlib>

#include "base/stopwatch.h"
#include "bench/measurement.h"
#include "bench/one_f_one_b.h"

using namespace spillway;
using namespace spillway::bench;

int main(int argc, char** argv) {
  if (argc != 3) return EXIT_FAILURE;
  const auto ranks = static_cast<std::uint32_t>(std::atoi(argv[1]));
  const auto microbatches = static_cast<std::uint32_t>(std::atoi(argv[2]));
  const Stopwatch everything;
  const Derived derived = one_f_one_b(ranks, microbatches);
  const Prices prices = price(derived, BenchCosts());
  const Stopwatch watch;
  Replay replay({derived.pipeline, 1, star(ranks)});
  const Seconds makespan = replay.run(derived, prices).makespan();
  const double seconds = watch.seconds(), all_seconds = everything.seconds();
  print(one_f_one_b_activities(ranks, microbatches), seconds, makespan.value());
  print(one_f_one_b_activities(ranks, microbatches), all_seconds, makespan.value());
}
