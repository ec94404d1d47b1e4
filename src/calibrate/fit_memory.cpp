#include "calibrate/fit_memory.h"

#include <array>
#include <cstdio>

#include "calibrate/timed_works.h"

namespace spillway {
namespace {

constexpr double kComputingAtMost = 0.5;  // of the time that the bytes take
constexpr std::size_t kFewestRows = 3;
const std::string kLatency = "/accelerator/memory_latency_us";
const std::string kMemory = "/accelerator/efficiency/memory";

std::vector<TimedWork> those_that_hardly_compute(const std::vector<TimedWork>& products,
                                                 const Accelerator& accelerator) {
  std::vector<TimedWork> kept;
  for (const TimedWork& timed : products) {
    const Seconds moving = timed.work.traffic / accelerator.memory_bandwidth.value;
    if (timed.work.flops / accelerator.peak.value < kComputingAtMost * moving) kept.push_back(timed);
  }
  return kept;
}

// {latency, seconds per byte}
std::optional<std::vector<Estimated>> affine_in_bytes(const std::vector<TimedWork>& works) {
  std::vector<double> terms, times;
  for (const auto& [work, time] : works) {
    terms.insert(terms.end(), {1.0, work.traffic.value()});
    times.push_back(time.value());
  }
  return relative_fit(terms, 2, times);
}

std::string interval(double low, double high, const char* unit) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.3g to %.3g %s", low, high, unit);
  return text.data();
}

void conclude_latency(const Estimated& seconds, std::size_t points, const std::string& source,
                      MemoryFit& result) {
  const double us = 1e6;
  if (seconds.low > 0) {
    result.latency = Seconds(seconds.value);
    result.fits.numbers.push_back(
        {kLatency, us * seconds.value, us * seconds.low, us * seconds.high, points, source});
    return;
  }
  result.fits.undetermined.push_back(
      {kLatency, "the memory-bound products are too large for it to show: its 95 % interval is " +
                     interval(us * seconds.low, us * seconds.high, "us")});
}

void conclude_rate(const Estimated& per_byte, BytesPerSecond stated, std::size_t points,
                   const std::string& source, MemoryFit& result) {
  const auto share = [&](double seconds) { return 1 / (seconds * stated.value()); };
  if (per_byte.low <= 0) {
    result.fits.undetermined.push_back(
        {kMemory,
         "the memory-bound products are too small for their bytes to show: a gigabyte's 95 % interval "
         "is " +
             interval(1e12 * per_byte.low, 1e12 * per_byte.high, "ms")});
  } else if (share(per_byte.value) > 1) {
    result.fits.undetermined.push_back(
        {kMemory, "products move " + interval(100 * share(per_byte.high), 100 * share(per_byte.low), "%") +
                      " of what memory is said to carry: their operands lie in a cache, or the platform's "
                      "bandwidth is not this device's"});
  } else {
    result.memory = BytesPerSecond(1 / per_byte.value);
    result.fits.numbers.push_back(
        {kMemory, share(per_byte.value), share(per_byte.high), share(per_byte.low), points, source});
  }
}

}  // namespace

MemoryFit memory_fit(const std::vector<TimedWork>& products, const Accelerator& accelerator,
                     const std::string& source) {
  const std::vector<TimedWork> kept = those_that_hardly_compute(products, accelerator);
  const Halves halves = halved(kept);
  MemoryFit result;
  const auto fitted = affine_in_bytes(halves.fitted);
  if (!fitted || halves.fitted.size() < kFewestRows) {
    const std::string why = "of " + std::to_string(products.size()) + " matrix products " +
                            std::to_string(kept.size()) +
                            " are memory-bound, which is too few, or they are all of one size";
    result.fits.undetermined = {{kMemory, why}, {kLatency, why}};
    return result;
  }
  const Estimated &latency = fitted->front(), &per_byte = fitted->back();
  conclude_latency(latency, halves.fitted.size(), source, result);
  conclude_rate(per_byte, accelerator.memory_bandwidth.value, halves.fitted.size(), source, result);
  std::vector<double> errors;
  for (const auto& [work, time] : halves.held_back)
    errors.push_back((latency.value + per_byte.value * work.traffic.value()) / time.value() - 1);
  if (result.memory && !errors.empty())
    result.fits.held_back.push_back({error_summary(errors), "memory-bound matrix products"});
  return result;
}

}  // namespace spillway
