// How time and memory of one 1F1B step grow with ranks, microbatches and replicas: deriving its order,
// pricing it and taking its longest path, against streaming it. Each size is doubled while the others stay;
// every figure comes from a process of its own, in seconds of processor time and megabytes at its peak, with
// the exponents that fit them. usage: bench-scale                         the table
//        bench-scale RANKS MICROBATCHES      one streamed step
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <stdexcept>
#include <vector>

#include "bench/measurement.h"
#include "bench/one_f_one_b.h"
#include "timing/longest_path.h"
#include "timing/streamed_step.h"

namespace spillway::bench {
namespace {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Cost {
  double derive_s = 0;
  double evaluate_s = 0;
  double megabytes = 0;
  double events = 0;
  double makespan_s = 0;
};

// Measures in a process of its own, so that its peak is its own.
Cost alone(const std::function<Cost()>& measure) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    Cost cost = measure();
    cost.megabytes = peak_megabytes();
    const bool told = write(ends[1], &cost, sizeof cost) == static_cast<ssize_t>(sizeof cost);
    _exit(told ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  close(ends[1]);
  Cost cost;
  const bool heard = read(ends[0], &cost, sizeof cost) == static_cast<ssize_t>(sizeof cost);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  if (!heard) throw std::runtime_error("a measurement ended early");
  return cost;
}

Cost held(const Pipeline& pipeline) {
  Cost cost;
  const double begin = processor_seconds();
  const Derived derived =
      derive(layers(pipeline.ranks), Schedule{{SkeletonKind::OneFOneB}}, Cut{}, {pipeline});
  const double derived_at = processor_seconds();
  const LongestPath path(derived.order);
  PerEvent<Seconds> ends;
  const Durations durations = price(derived, BenchCosts()).durations;
  cost.makespan_s = path.makespans(durations, pipeline.replicas, ends).front().value();
  cost.derive_s = derived_at - begin;
  cost.evaluate_s = processor_seconds() - derived_at;
  cost.events = static_cast<double>(derived.order.event_count());
  return cost;
}

// Prices event by event, unless one price is known to stand for all.
Cost streamed(const Pipeline& pipeline, bool uniform) {
  Cost cost;
  const double begin = processor_seconds();
  const OrderStream order(layers(pipeline.ranks), Schedule{{SkeletonKind::OneFOneB}}, Cut{}, {pipeline});
  const double derived_at = processor_seconds();
  const BenchCosts costs;
  for (std::uint32_t replica = 0; replica < pipeline.replicas; ++replica) {
    const StreamedStep step = streamed_step(order, {[&](const Event& event) {
                                                      const Seconds takes =
                                                          event_seconds(costs, event, ReplicaId(replica));
                                                      return takes;
                                                    },
                                                    [=](const Event&) { return uniform; }});
    cost.makespan_s = std::max(cost.makespan_s, step.end.value());
    cost.events = static_cast<double>(step.events);
  }
  cost.derive_s = derived_at - begin;
  cost.evaluate_s = processor_seconds() - derived_at;
  return cost;
}

// Returns the power of the size with which a figure grows: least squares of logarithms, sizes doubling.
double exponent(const std::vector<double>& figures) {
  const double n = static_cast<double>(figures.size()), middle = (n - 1) / 2;
  double product = 0, square = 0;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const double x = static_cast<double>(i) - middle;
    product += x * std::log2(figures[i]);
    square += x * x;
  }
  return product / square;
}

struct Row {
  Pipeline pipeline;
  Cost held, priced, uniform;
};

void print(const Row& row) {
  const Cost &held = row.held, &priced = row.priced, &uniform = row.uniform;
  std::printf("%6u %6u %5u %10.0f | %8.3f %8.3f %7.0f | %8.3f %8.3f %7.0f%s\n", row.pipeline.ranks,
              row.pipeline.microbatches, row.pipeline.replicas, held.events * row.pipeline.replicas,
              held.derive_s, held.evaluate_s, held.megabytes, priced.evaluate_s, uniform.evaluate_s,
              uniform.megabytes, held.makespan_s == priced.makespan_s ? "" : "  MAKESPANS DIFFER");
}

void print_exponents(const char* of, const std::vector<Row>& rows) {
  const auto fitted = [&](auto figure) {
    std::vector<double> figures;
    for (const Row& row : rows) figures.push_back(figure(row));
    return exponent(figures);
  };
  std::printf("  grow with the power of %s %s | %8.2f %8.2f %7.2f | %8.2f %8.2f %7.2f\n\n", of, "",
              fitted([](const Row& r) { return r.held.derive_s; }),
              fitted([](const Row& r) { return r.held.evaluate_s; }),
              fitted([](const Row& r) { return r.held.megabytes; }),
              fitted([](const Row& r) { return r.priced.evaluate_s; }),
              fitted([](const Row& r) { return r.uniform.evaluate_s; }),
              fitted([](const Row& r) { return r.uniform.megabytes; }));
}

template <class Size>
void doubled(const char* name, Pipeline pipeline, Size size, int times) {
  std::vector<Row> rows;
  for (int i = 0; i < times; ++i, size(pipeline) *= 2) {
    rows.push_back({pipeline, alone([&] { return held(pipeline); }),
                    alone([&] { return streamed(pipeline, false); }),
                    alone([&] { return streamed(pipeline, true); })});
    print(rows.back());
  }
  print_exponents(name, rows);
}

void print_table() {
  std::printf("%6s %6s %5s %10s | %8s %8s %7s | %8s %8s %7s\n", "ranks", "microb", "repl", "events", "derive",
              "evaluate", "peak", "streamed", "uniform", "peak");
  std::printf("%6s %6s %5s %10s | %8s %8s %7s | %8s %8s %7s\n", "", "", "", "", "s", "s", "MB", "s", "s",
              "MB");
  doubled(
      "P", {32, 1024, 1}, [](Pipeline& p) -> std::uint32_t& { return p.ranks; }, 5);
  doubled(
      "M", {64, 512, 1}, [](Pipeline& p) -> std::uint32_t& { return p.microbatches; }, 5);
  doubled(
      "R", {16, 64, 64}, [](Pipeline& p) -> std::uint32_t& { return p.replicas; }, 5);
}

void print_streamed(const Pipeline& pipeline) {
  const Cost cost = alone([&] { return streamed(pipeline, true); });
  std::printf(
      "%u ranks, %u microbatches: %.0f events streamed in %.2f s, %.1f M/s, peak %.0f MB, makespan %.9g s\n",
      pipeline.ranks, pipeline.microbatches, cost.events, cost.evaluate_s,
      cost.events / cost.evaluate_s / 1e6, cost.megabytes, cost.makespan_s);
}

}  // namespace
}  // namespace spillway::bench

int main(int argc, char** argv) {
  using namespace spillway;
  try {
    if (argc == 3)
      bench::print_streamed({static_cast<std::uint32_t>(std::atoi(argv[1])),
                             static_cast<std::uint32_t>(std::atoi(argv[2])), 1});
    else
      bench::print_table();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench-scale: %s\n", failure.what());
    return EXIT_FAILURE;
  }
}
