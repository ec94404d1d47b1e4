#include "calibrate/fit_operators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/append.h"
#include "base/text.h"
#include "calibrate/fitted.h"
#include "calibrate/operator_errors.h"
#include "calibrate/roofline_fit.h"
#include "calibrate/timed_works.h"
#include "platform/platform.h"

namespace spillway {
namespace {

// Memory's rate and an operator's latency, fitted to matrix products that hardly compute.
struct MemoryFit {
  std::optional<BytesPerSecond> memory;
  std::optional<Seconds> latency;
  Fits fits;  // of /accelerator/efficiency/memory and /accelerator/memory_latency_us
};

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

// Fits as fit_operators.h says. Numbers are undetermined with fewer than three such products, or if an
// interval holds 0. In that case all products are too large to show their latency, or too small to show their
// bytes.
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

// An operator must take this many latencies, so that the roofline, which has no latency, is nearly right.
constexpr double kLatenciesAtLeast = 5;
// In a table, a share of the stated peak may exceed 1: clocks may be higher than stated, and times are
// rounded.
constexpr double kOfPeakAtMost = 1.1;

std::string percent(double share) {
  return std::to_string(std::lround(100 * share)) + " %";
}

struct Kind {
  std::string pointer;  // to its efficiency
  std::string what;
  std::string source;
  std::vector<TimedWork> works;
};

// The memory's rate and latency, from the samples or else the platform, for use in the roofline.
struct Floor {
  BytesPerSecond memory;
  Seconds latency;
};

class OperatorFits {
 public:
  explicit OperatorFits(const Platform& base)
      : accelerator_(base.accelerator),
        floor_{accelerator_.memory_bandwidth.value * accelerator_.efficiency.memory.value,
               accelerator_.memory_latency.value} {}

  void fit_memory(const Kind& products) {
    const MemoryFit fit = memory_fit(products.works, accelerator_, products.source);
    if (fit.memory) floor_.memory = *fit.memory;
    if (fit.latency) floor_.latency = *fit.latency;
    fits_ = fit.fits;
  }

  void fit_efficiency(const Kind& kind) {
    const Seconds least = floor_.latency * kLatenciesAtLeast;
    std::vector<TimedWork> large;
    for (const TimedWork& timed : kind.works)
      if (timed.work.flops / accelerator_.peak.value >= least) large.push_back(timed);
    if (large.size() < kind.works.size())
      fits_.notes.push_back({NoteKind::Dropped, kind.works.size() - large.size(),
                             kind.what + " that are too short to say anything of " + kind.pointer});
    const Halves halves = halved(large);
    const auto fit = fit_roofline(halves.fitted, accelerator_.peak.value, floor_.memory);
    if (!fit) return leave_open(kind, large.size(), "too few of them are bound by computing");
    if (fit->efficiency.value > 1)
      return leave_open(kind, large.size(),
                        "they run at " + percent(fit->efficiency.value) +
                            " of the peak that the platform states, so that one is not this device's");
    const auto [value, low, high] = fit->efficiency;
    fits_.numbers.push_back({kind.pointer, value, low, high, fit->compute_bound, kind.source});
    const FlopsPerSecond achieved(accelerator_.peak.value.value() * value);
    report(kind.what, halves.held_back, achieved);
    if (large.size() < kind.works.size())
      report(kind.what + " of any size", halved(kind.works).held_back, achieved);
  }

  void hold_tables(const OperatorTables& tables) {
    for (const HeldBackError& error : table_errors(tables, accelerator_)) fits_.held_back.push_back(error);
  }

  Fits take() { return std::move(fits_); }

 private:
  void report(const std::string& what, const std::vector<TimedWork>& held_back, FlopsPerSecond achieved) {
    std::vector<double> errors;
    for (const auto& [work, time] : held_back)
      errors.push_back(roofline_time(work, achieved, floor_.memory) / time - 1);
    if (!errors.empty()) fits_.held_back.push_back({error_summary(errors), what});
  }

  void leave_open(const Kind& kind, std::size_t large, const std::string& why) {
    fits_.undetermined.push_back({kind.pointer, "of " + std::to_string(kind.works.size()) + " " + kind.what +
                                                    " " + std::to_string(large) + " are long enough, and " +
                                                    why});
  }

  const Accelerator& accelerator_;
  Floor floor_;
  Fits fits_;
};

OperatorTables together(const std::vector<Samples>& measurements) {
  OperatorTables all;
  for (const Samples& samples : measurements) {
    append(all.gemms, samples.operators.gemms);
    append(all.grouped_gemms, samples.operators.grouped_gemms);
    append(all.attentions, samples.operators.attentions);
  }
  return all;
}

using Counted = std::size_t (*)(const OperatorTables&);

std::size_t attentions_of(const OperatorTables& tables, bool backward) {
  return static_cast<std::size_t>(
      std::count_if(tables.attentions.begin(), tables.attentions.end(),
                    [=](const MeasuredAttention& row) { return row.backward == backward; }));
}

// Names the measurements that hold such operators.
std::string sources_of(const std::vector<Samples>& measurements, Counted count) {
  std::string sources;
  for (const Samples& samples : measurements)
    if (count(samples.operators) > 0) add_to_list(sources, samples.source, "; ");
  return sources;
}

std::vector<Kind> kinds_of(const std::vector<Samples>& measurements) {
  const OperatorTables all = together(measurements);
  const std::string prefix = "/accelerator/efficiency/";
  const auto from = [&](Counted count) { return sources_of(measurements, count); };
  return {{prefix + "gemm", "matrix products", from([](auto& one) { return one.gemms.size(); }),
           timed_works(all.gemms)},
          {prefix + "grouped_gemm", "grouped matrix products",
           from([](auto& one) { return one.grouped_gemms.size(); }), timed_works(all.grouped_gemms)},
          {prefix + "attention", "attention forwards",
           from([](auto& one) { return attentions_of(one, false); }), timed_works(all.attentions, false)},
          {prefix + "attention_backward", "attention backwards",
           from([](auto& one) { return attentions_of(one, true); }), timed_works(all.attentions, true)}};
}

// The highest rate in the tables, in FLOPs per second.
double fastest(const OperatorTables& rows) {
  std::vector<TimedWork> works = timed_works(rows.gemms);
  append(works, timed_works(rows.grouped_gemms));
  append(works, timed_works(rows.attentions, false));
  append(works, timed_works(rows.attentions, true));
  double most = 0;
  for (const auto& [work, time] : works) most = std::max(most, work.flops.value() / time.value());
  return most;
}

// Lists files that a platform may name, and notes operators that are in none. Files faster than the
// platform's peak are another device's, or in another unit, so they are not listed.
void name_tables(const std::vector<Samples>& measurements, FlopsPerSecond peak, Fits& fits) {
  for (const Samples& samples : measurements) {
    const OperatorTables& rows = samples.operators;
    const std::size_t count = rows.gemms.size() + rows.grouped_gemms.size() + rows.attentions.size();
    const double share = fastest(rows) / peak.value();
    if (!samples.tables.empty() && share > kOfPeakAtMost) {
      fits.undetermined.push_back({"/accelerator/operators", "no table of " + samples.source +
                                                                 ": its fastest runs at " + percent(share) +
                                                                 " of the peak that the platform states"});
      continue;
    }
    for (const std::string& file : samples.tables) fits.tables.push_back({file, samples.source});
    if (count > 0 && samples.tables.empty())
      fits.notes.push_back({NoteKind::Missing, count,
                            "operators of " + samples.source +
                                " in a table that a platform can name (columns m,n,k,time_us, unpacked): "
                                "what is fitted to them are efficiencies alone"});
  }
}

}  // namespace

Fits fit_operators(const Platform& base, const std::vector<Samples>& measurements) {
  const std::vector<Kind> kinds = kinds_of(measurements);
  OperatorFits fits(base);
  if (!kinds.front().works.empty()) fits.fit_memory(kinds.front());
  for (const Kind& kind : kinds)
    if (!kind.works.empty()) fits.fit_efficiency(kind);
  fits.hold_tables(together(measurements));
  Fits all = fits.take();
  name_tables(measurements, base.accelerator.peak.value, all);
  return all;
}

}  // namespace spillway
