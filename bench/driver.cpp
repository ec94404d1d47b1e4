// spillway-bench [REPEATS]: pricing; the replay and the longest path against their rivals, in one run on one
// machine.
// SimGrid has one engine per process, so every simulation is a program of its own, run in turn; figures are
// medians.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "bench/measurement.h"
#include "bench/one_f_one_b.h"
#include "bench/rivals/bare_longest_path.h"
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
  Series ours{"replay"}, whole{"replay, with derive and price"}, actors{"actor per rank"},
      eager{"eager DAG, run once"};
  for (int i = 0; i < repeats; ++i) {
    const std::vector<Measurement> lines = measure(BENCH_REPLAY, size);
    ours.runs.push_back(lines.at(0));
    whole.runs.push_back(lines.at(1));
    actors.runs.push_back(measure(BENCH_ACTOR_PER_RANK, size).front());
  }
  std::vector<const Series*> others{&whole, &actors};
  if (with_eager) {
    std::fprintf(stderr, "the eager DAG takes a minute or two ...\n");
    eager.runs.push_back(measure(BENCH_EAGER_DAG, size).front());
    others.push_back(&eager);
  }
  print_table(size, ours, others);
}

// Events per second over enough warm passes to fill a tenth of a second.
template <class Pass>
double warm_rate(std::size_t events, Pass pass) {
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

void print_rates(const LongestPathRate& ours, const LongestPathRate& theirs) {
  std::printf("  %-34s %14s %12s %16s\n", "", "M/s", "ours is", "makespan s");
  for (const LongestPathRate* rate : {&ours, &theirs})
    std::printf("  %-34s %14.1f %11.2fx %16.6f\n", rate->name, median(rate->rates) * 1e-6,
                median(ours.rates) / median(rate->rates), rate->makespan);
}

// In one lane and in eight, which is how many a sweep prices at a time.
void longest_path_against_bare_arrays(Size size, int repeats) {
  constexpr std::uint32_t lanes = 8;
  const Derived derived = one_f_one_b(size.ranks, size.microbatches);
  const Durations one = price(derived, BenchCosts()).durations;
  const std::size_t events = one.events();
  Durations many(events, lanes);
  for (std::uint32_t event = 0; event < events; ++event)
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      many.at(EventId(event), lane) = one.at(EventId(event), 0) * (1 + lane % BareLongestPath::kLanes);
  const LongestPath longest_path(derived.order);
  PerEvent<Seconds> ends;
  BareLongestPath bare(size.ranks, size.microbatches);
  const auto ours = [&] { return longest_path.makespan(one, ends).value(); };
  const auto ours_batched = [&] { return longest_path.makespans(many, 1, ends).back().value(); };
  LongestPathRate single{"longest path", {}, ours()}, batched{"longest path, batched", {}, ours_batched()};
  LongestPathRate bare_single{"loop over bare arrays", {}, bare.makespan()};
  LongestPathRate bare_batched{"loop over bare arrays, 8 lanes", {}, bare.longest_of_lanes()};
  for (int i = 0; i < repeats; ++i) {
    single.rates.push_back(warm_rate(events, ours));
    bare_single.rates.push_back(warm_rate(bare.events(), [&] { return bare.makespan(); }));
    batched.rates.push_back(warm_rate(events * lanes, ours_batched));
    bare_batched.rates.push_back(
        warm_rate(bare.events() * BareLongestPath::kLanes, [&] { return bare.longest_of_lanes(); }));
  }
  std::printf("\nlongest path, P=%u M=%u, %zu events, warm, one lane: events\n", size.ranks,
              size.microbatches, events);
  print_rates(single, bare_single);
  std::printf("the same in %u lanes: events x lanes\n", lanes);
  print_rates(batched, bare_batched);
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
