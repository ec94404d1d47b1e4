// The replay of 1F1B, timed like its rivals: building the simulated platform and running are on the clock. It
// prints three lines: the order streamed, found and priced as it goes, as the rivals' program text does; the
// order held, every event's start and end kept; the held order with deriving and pricing. usage: replay P M
#include "sim/replay.h"

#include <cstdlib>

#include "base/stopwatch.h"
#include "bench/measurement.h"
#include "bench/one_f_one_b.h"

using namespace spillway;
using namespace spillway::bench;

namespace {

Seconds streamed(const Pipeline& pipeline) {
  const OrderStream order(layers(pipeline.ranks), Schedule{{SkeletonKind::OneFOneB}}, Cut{}, {pipeline});
  return Replay({pipeline, 1, star(pipeline.ranks)}).run(order, BenchCosts()).end;
}

void measure_streamed(const Pipeline& pipeline) {
  const Stopwatch watch;
  const Seconds makespan = streamed(pipeline);
  print(one_f_one_b_activities(pipeline.ranks, pipeline.microbatches), watch.seconds(), makespan.value());
}

void measure_held(const Pipeline& pipeline) {
  const Stopwatch everything;
  const Derived derived = one_f_one_b(pipeline.ranks, pipeline.microbatches);
  const Prices prices = price(derived, BenchCosts());
  const Stopwatch watch;
  Replay replay({pipeline, 1, star(pipeline.ranks)});
  const Seconds makespan = replay.run(derived, prices).makespan();
  const double seconds = watch.seconds(), all_seconds = everything.seconds();
  print(one_f_one_b_activities(pipeline.ranks, pipeline.microbatches), seconds, makespan.value());
  print(one_f_one_b_activities(pipeline.ranks, pipeline.microbatches), all_seconds, makespan.value());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return EXIT_FAILURE;
  const Pipeline pipeline{static_cast<std::uint32_t>(std::atoi(argv[1])),
                          static_cast<std::uint32_t>(std::atoi(argv[2]))};
  measure_streamed(pipeline);
  measure_held(pipeline);
}
