// spillway-bench [REPEATS]: pricing; the replay and the longest path against their rivals, in one run on one
// machine.
// SimGrid has one engine per process, so every simulation is a program of its own, run in turn; figures are
// medians.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "bench/measurement.h"
#include "bench/one_f_one_b.h"
#include "bench/rivals/bare_longest_path.h"
#include "cost/lane_prices.h"
#include "timing/lane_evaluator.h"
#include "timing/longest_path.h"

namespace spillway::bench {
namespace {

struct Size {
  std::uint32_t ranks;
  std::uint32_t microbatches;
};

constexpr Size kUsual{64, 512};
constexpr Size kManyRanks{512, 1024};

// Runs the program and reads its lines.
std::vector<Measurement> measure(const std::string& program, Size size) {
  const std::string command =
      '"' + program + "\" " + std::to_string(size.ranks) + ' ' + std::to_string(size.microbatches);
  std::FILE* const output = popen(command.c_str(), "r");
  if (output == nullptr) throw std::runtime_error("cannot start " + command);
  std::vector<Measurement> lines;
  unsigned long long activities = 0;
  Measurement line{};
  while (std::fscanf(output, "%llu %lf %lf %lf", &activities, &line.seconds, &line.makespan_s,
                     &line.peak_mb) == 4) {
    line.activities = activities;
    lines.push_back(line);
  }
  if (pclose(output) != 0 || lines.empty()) throw std::runtime_error(command + " failed");
  return lines;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// One program's runs.
struct Series {
  const char* name;
  std::vector<Measurement> runs = {};

  double rate() const {
    std::vector<double> rates;
    for (const Measurement& run : runs) rates.push_back(static_cast<double>(run.activities) / run.seconds);
    return median(rates);
  }
};

void print_table(Size size, const Series& ours, const std::vector<const Series*>& others) {
  std::printf("\n1F1B, P=%u M=%u: %llu computing and transfer events on a star of shared links\n", size.ranks,
              size.microbatches, static_cast<unsigned long long>(ours.runs.front().activities));
  std::printf("  %-34s %14s %12s %10s %16s\n", "", "activities/s", "replay is", "peak MB", "makespan s");
  std::vector<const Series*> all{&ours};
  all.insert(all.end(), others.begin(), others.end());
  for (const Series* series : all) {
    const Measurement& run = series->runs.front();
    std::printf("  %-34s %14.0f %11.2fx %10.0f %16.6f\n", series->name, series->rate(),
                ours.rate() / series->rate(), run.peak_mb, run.makespan_s);
  }
}

void replay_against_rivals(Size size, int repeats, bool with_eager) {
  Series ours{"replay, order streamed"}, held{"replay, order held"}, whole{"  with derive and price"},
      actors{"actor per rank"}, eager{"eager DAG, run once"};
  for (int i = 0; i < repeats; ++i) {
    const std::vector<Measurement> lines = measure(BENCH_REPLAY, size);
    ours.runs.push_back(lines.at(0));
    held.runs.push_back(lines.at(1));
    whole.runs.push_back(lines.at(2));
    actors.runs.push_back(measure(BENCH_ACTOR_PER_RANK, size).front());
  }
  std::vector<const Series*> others{&held, &whole, &actors};
  if (with_eager) {
    std::fprintf(stderr, "the eager DAG takes a minute or two ...\n");
    eager.runs.push_back(measure(BENCH_EAGER_DAG, size).front());
    others.push_back(&eager);
  }
  print_table(size, ours, others);
}

// Events per second over enough warm passes to fill a tenth of a second.
double warm_rate(std::size_t events, const std::function<double()>& pass) {
  double checksum = pass();
  const Stopwatch watch;
  std::size_t passes = 0;
  do {
    checksum += pass();
    ++passes;
  } while (watch.seconds() < 0.1);
  const double seconds = watch.seconds();
  if (!(checksum > 0)) throw std::runtime_error("a pass found no makespan");
  return static_cast<double>(events * passes) / seconds;
}

struct LongestPathRate {
  const char* name;
  std::vector<double> rates;  // of events, or of events and lanes
  double makespan;
};

// The first beside all.
void print_rates(const std::vector<LongestPathRate>& rates) {
  std::printf("  %-34s %14s %12s %16s\n", "", "M/s", "ours is", "makespan s");
  for (const LongestPathRate& rate : rates)
    std::printf("  %-34s %14.1f %11.2fx %16.6f\n", rate.name, median(rate.rates) * 1e-6,
                median(rates.front().rates) / median(rate.rates), rate.makespan);
}

// A loop under a name: what it runs, over how many events (and lanes).
struct Contender {
  const char* name;
  std::size_t events;
  std::function<double()> pass;
};

void race(const std::vector<Contender>& contenders, int repeats) {
  std::vector<LongestPathRate> rates;
  for (const Contender& one : contenders) rates.push_back({one.name, {}, one.pass()});
  for (int i = 0; i < repeats; ++i)
    for (std::size_t one = 0; one < contenders.size(); ++one)
      rates[one].rates.push_back(warm_rate(contenders[one].events, contenders[one].pass));
  print_rates(rates);
}

// As many as a sweep runs at a time.
constexpr std::uint32_t kLanes = 8;

// The draws of the bare loop.
Durations scaled(const Durations& one) {
  Durations many(one.events(), kLanes);
  for (std::uint32_t event = 0; event < one.events(); ++event)
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      many.at(EventId(event), lane) = one.at(EventId(event), 0) * (1 + lane % BareLongestPath::kLanes);
  return many;
}

// Every event of every lane, though all lanes are equal: these costs do not say so.
void price_lanes(const Derived& derived, int repeats) {
  const PriceClasses classes(derived);
  const BenchCosts costs;
  const LanePrices prices(derived, classes, std::vector<const Pricing*>(kLanes, &costs));
  Durations out(derived.order.event_count(), kLanes);
  const auto pass = [&] {
    prices.price(TransposedWork::Counted, 0, out);
    return out.flat().front().value();
  };
  std::vector<double> rates;
  for (int i = 0; i < repeats; ++i) rates.push_back(warm_rate(out.flat().size(), pass));
  std::printf("  %-34s %14.1f\n", "pricing each lane", median(rates) * 1e-6);
}

void lanes_against_bare_arrays(const Derived& derived, const Durations& one, BareLongestPath& bare,
                               int repeats) {
  const LongestPath longest_path(derived.order);
  const LaneEvaluator evaluator(derived);
  const Durations many = scaled(one);
  PerEvent<Seconds> ends;
  const std::size_t events = one.events() * kLanes;
  std::printf("the same in %u lanes: events x lanes\n", kLanes);
  race({{"longest path, batched", events,
         [&] { return longest_path.makespans(many, 1, ends).back().value(); }},
        {"loop over bare arrays, 8 lanes", bare.events() * kLanes, [&] { return bare.longest_of_lanes(); }},
        {"figures of each lane", events,
         [&] { return evaluator.figures(many, {}, ends).back().end.value(); }}},
       repeats);
  price_lanes(derived, repeats);
}

void longest_path_against_bare_arrays(Size size, int repeats) {
  const Derived derived = one_f_one_b(size.ranks, size.microbatches);
  const Durations one = price(derived, BenchCosts()).durations;
  const LongestPath longest_path(derived.order);
  PerEvent<Seconds> ends;
  BareLongestPath bare(size.ranks, size.microbatches);
  std::printf("\nlongest path, P=%u M=%u, %zu events, warm, one lane: events\n", size.ranks,
              size.microbatches, one.events());
  race({{"longest path", one.events(), [&] { return longest_path.makespan(one, ends).value(); }},
        {"loop over bare arrays", bare.events(), [&] { return bare.makespan(); }}},
       repeats);
  lanes_against_bare_arrays(derived, one, bare, repeats);
}

// Its lines go straight to standard output.
void pricing() {
  std::printf("\n");
  std::fflush(stdout);
  const std::string command = "cd \"" SPILLWAY_SOURCE_DIR "/workloads/experiments\" && \"" BENCH_PRICING
                              "\" experiment-a.json llama3-405b.json";
  if (std::system(command.c_str()) != 0) throw std::runtime_error(command + " failed");
}

}  // namespace
}  // namespace spillway::bench

int main(int argc, char** argv) {
  using namespace spillway::bench;
  try {
    const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
    std::printf(
        "medians of %d runs; the eager DAG's time grows with the square of its size, so it runs once\n",
        repeats);
    pricing();
    longest_path_against_bare_arrays({16, 64}, repeats);
    longest_path_against_bare_arrays(kUsual, repeats);
    std::fflush(stdout);
    replay_against_rivals(kManyRanks, repeats, false);
    std::fflush(stdout);
    replay_against_rivals(kUsual, repeats, true);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "spillway-bench: %s\n", failure.what());
    return EXIT_FAILURE;
  }
}
