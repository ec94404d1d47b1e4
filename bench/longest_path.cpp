// bench-longest-path [REPEATS]: the longest path of a 1F1B step against a loop over bare arrays and against
// the memory that it moves through, warm, on one core, in CPU time. Figures are medians.
#include "timing/longest_path.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "bench/machine.h"
#include "bench/one_f_one_b.h"
#include "bench/rivals/bare_longest_path.h"
#include "cost/given.h"
#include "cost/lane_prices.h"
#include "timing/lane_evaluator.h"

namespace spillway::bench {
namespace {

// A sweep runs as many lanes at a time.
constexpr std::uint32_t kLanes = 16;

// Every price is `times` the benchmark's, whatever the microbatch.
class ScaledCosts final : public Pricing {
 public:
  explicit ScaledCosts(double times) : times_(times) {}
  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override {
    return costs_.pass(pass, stage, microbatch, replica) * times_;
  }
  Seconds overlapped(const Event& event, ReplicaId replica) const override {
    return costs_.overlapped(event, replica) * times_;
  }
  Transfer transfer(const Event& event, ReplicaId replica) const override {
    return {costs_.transfer(event, replica).alone * times_, Bytes()};
  }
  bool uniform(const Event&) const override { return true; }

 private:
  BenchCosts costs_;
  double times_;
};

// Every microbatch takes its own time in every draw, on every stage.
GivenCosts work_of_draw(std::uint32_t draw, std::uint32_t microbatches) {
  BlockProfile profile{
      Seconds(kForwardSeconds), Seconds(kBackwardSeconds / 2), Seconds(kBackwardSeconds / 2), {}, {}, {}};
  auto& work = profile.work.emplace_back();
  for (std::uint32_t m = 0; m < microbatches; ++m) work.push_back(0.5 + ((m * 7 + draw * 11) % 16) / 16.0);
  return {{profile}, Seconds(kLatencySeconds + kMessageBytes / kLinkBytesPerSecond)};
}

template <class Costs>
std::vector<const Pricing*> views(const std::vector<std::unique_ptr<Costs>>& costs) {
  std::vector<const Pricing*> all;
  for (const auto& one : costs) all.push_back(one.get());
  return all;
}

// A named loop: a pass, the events (times lanes) of a pass, and the bytes that each of these moves.
struct Contender {
  const char* name;
  std::size_t events;
  double bytes;
  std::function<double()> pass;
  std::vector<double> rates = {};
};

// Returns events per second over enough warm passes to fill a twentieth of a second.
double warm_rate(const Contender& one) {
  double checksum = one.pass();
  const double before = cpu_seconds();
  std::size_t passes = 0;
  do {
    checksum += one.pass();
    ++passes;
  } while (cpu_seconds() - before < 0.05);
  const double seconds = cpu_seconds() - before;
  if (!(checksum > 0)) throw std::runtime_error("a pass found no makespan");
  return static_cast<double>(one.events * passes) / seconds;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The others are compared with the last one.
void race(std::vector<Contender> contenders, int repeats, double bandwidth) {
  for (int i = 0; i < repeats; ++i)
    for (Contender& one : contenders) one.rates.push_back(warm_rate(one));
  const double bare = median(contenders.back().rates);
  for (const Contender& one : contenders) {
    const double rate = median(one.rates);
    std::printf("  %-44s %8.2f G/s %7.2fx %8.1f GB/s %5.0f %%\n", one.name, rate * 1e-9, rate / bare,
                rate * one.bytes * 1e-9, 100 * rate * one.bytes / bandwidth);
  }
}

// The bytes that a pass moves for each event: the places of its row and of those it waits for, transfers
// being folded, and the durations it takes.
constexpr double kStep = sizeof(PathStep) / 2.0, kTakes = sizeof(std::uint32_t);

struct Size {
  std::uint32_t ranks;
  std::uint32_t microbatches;
};

class Races {
 public:
  Races(Size size, int repeats)
      : size_(size),
        repeats_(repeats),
        derived_(one_f_one_b(size.ranks, size.microbatches)),
        classes_(derived_),
        path_(derived_.order),
        evaluator_(derived_),
        bare_(size.ranks, size.microbatches),
        one_(price(derived_, BenchCosts()).durations),
        events_(one_.events()) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      scaled_.push_back(std::make_unique<ScaledCosts>(1 + lane % BareLongestPath::kLanes));
      drawn_.push_back(std::make_unique<GivenCostModel>(work_of_draw(lane, size.microbatches), derived_));
    }
  }

  void run() {
    const double mean = (kStep + kTakes) / kLanes;
    std::printf("\nP=%u M=%u: %zu events, %.1f MB of durations of 8 lanes\n", size_.ranks, size_.microbatches,
                events_, static_cast<double>(events_) * 64e-6);
    const double bandwidth = read_bandwidth(events_ * 64);
    std::printf("  an array of so many bytes is read at %.1f GB/s\n", bandwidth * 1e-9);
    race({{"one lane", events_, kStep + 8, [&] { return path_.makespan(one_, ends_).value(); }},
          {"one lane, loop over bare arrays", bare_.events(), 32, [&] { return bare_.makespan(); }}},
         repeats_, bandwidth);
    const LanePrices steady(derived_, classes_, views(scaled_)), varying(derived_, classes_, views(drawn_));
    PricedRows shared(steady, TransposedWork::Counted), own(varying, TransposedWork::Counted);
    shared.set_lanes(0, kLanes);
    own.set_lanes(0, kLanes);
    const Durations held = held_lanes();
    std::vector<Contender> all;
    for (const LaneLoops& loops : lane_loops())
      all.push_back({loops.name, events_ * kLanes, mean, [&] { return last(shared, loops); }});
    all.push_back({"figures of each lane", events_ * kLanes, mean, [&] { return figures(shared); }});
    all.push_back({"each microbatch's own time, priced", events_ * kLanes, mean,
                   [&] { return last(own, fastest_loops()); }});
    all.push_back(
        {"the same and figures of each lane", events_ * kLanes, mean, [&] { return figures(own); }});
    all.push_back({"eight lanes, durations held", events_ * 8, kStep / 8 + 8,
                   [&] { return path_.makespans(held, 1, ends_).back().value(); }});
    all.push_back({"eight lanes, loop over bare arrays", bare_.events() * 8, 2 + 24,
                   [&] { return bare_.longest_of_lanes(); }});
    race(std::move(all), repeats_, bandwidth);
    hold_equal(steady);
  }

 private:
  double last(PricedRows& rows, const LaneLoops& loops) {
    return path_.run(rows, ends_, loops).last.back().value();
  }
  double figures(PricedRows& rows) { return evaluator_.figures(rows, {}, ends_).back().end.value(); }

  // Returns the draws of the bare loop.
  Durations held_lanes() const {
    Durations many(events_, 8);
    for (std::uint32_t event = 0; event < events_; ++event)
      for (std::uint32_t lane = 0; lane < 8; ++lane)
        many.at(EventId(event), lane) = one_.at(EventId(event), 0) * (1 + lane);
    return many;
  }

  // Throws if the loops do not find what the bare one finds.
  void hold_equal(const LanePrices& steady) {
    PricedRows rows(steady, TransposedWork::Counted);
    rows.set_lanes(0, kLanes);
    if (path_.run(rows, ends_).last[7].value() != bare_.longest_of_lanes())
      throw std::runtime_error("the two longest paths differ");
  }

  Size size_;
  int repeats_;
  Derived derived_;
  PriceClasses classes_;
  LongestPath path_;
  LaneEvaluator evaluator_;
  BareLongestPath bare_;
  Durations one_;
  std::size_t events_;
  std::vector<std::unique_ptr<ScaledCosts>> scaled_;
  std::vector<std::unique_ptr<GivenCostModel>> drawn_;
  LiveEnds ends_;
};

}  // namespace
}  // namespace spillway::bench

int main(int argc, char** argv) {
  using namespace spillway::bench;
  try {
    const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
    std::printf(
        "longest path, warm, one core; events x lanes, against the loop over bare arrays and memory\n%s\n",
        machine().c_str());
    for (const Size size : {Size{16, 64}, Size{64, 512}, Size{512, 1024}}) {
      Races(size, repeats).run();
      std::fflush(stdout);
    }
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench-longest-path: %s\n", failure.what());
    return EXIT_FAILURE;
  }
}
