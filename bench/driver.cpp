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

#include "bench/machine.h"
#include "bench/measurement.h"

namespace spillway::bench {
namespace {

struct Size {
  std::uint32_t ranks;
  std::uint32_t microbatches;
};

constexpr Size kUsual{64, 512};
constexpr Size kManyRanks{512, 1024};
constexpr Size kEager{16, 256};

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
  Series ours{"replay, streamed and priced"}, held{"replay, held"}, whole{"replay, derived, priced, held"},
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
    eager.runs.push_back(measure(BENCH_EAGER_DAG, size).front());
    others.push_back(&eager);
  }
  print_table(size, ours, others);
  std::fflush(stdout);
}

// Runs a command whose lines go straight to standard output.
void show(const std::string& command) {
  std::printf("\n");
  std::fflush(stdout);
  if (std::system(command.c_str()) != 0) throw std::runtime_error(command + " failed");
}

}  // namespace
}  // namespace spillway::bench

int main(int argc, char** argv) {
  using namespace spillway::bench;
  try {
    const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
    std::printf("%s; medians of %d runs, of the largest of one\n", machine().c_str(), repeats);
    show("cd \"" SPILLWAY_SOURCE_DIR "/workloads/experiments\" && \"" BENCH_PRICING
         "\" experiment-a.json llama3-405b.json");
    show("\"" BENCH_LONGEST_PATH "\" " + std::to_string(repeats));
    replay_against_rivals(kManyRanks, 1, false);
    replay_against_rivals(kUsual, repeats, false);
    // The eager DAG's time grows with the square of the size.
    replay_against_rivals(kEager, 1, true);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "spillway-bench: %s\n", failure.what());
    return EXIT_FAILURE;
  }
}
