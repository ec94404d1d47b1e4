#include "calibrate/fit_operators.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/append.h"
#include "base/text.h"
#include "calibrate/fit_memory.h"
#include "calibrate/roofline_fit.h"
#include "calibrate/table_errors.h"
#include "calibrate/timed_works.h"

namespace spillway {
namespace {

// Of latency in an operator's least time, so that what the roofline leaves out is small.
constexpr double kLatenciesAtLeast = 5;
// Of the stated peak, in a table: clocks above the stated one, and rounded times.
constexpr double kOfPeakAtMost = 1.1;

std::string percent(double share) {
  return std::to_string(std::lround(100 * share)) + " %";
}

struct Kind {
  std::string pointer;  // of its efficiency
  std::string what;
  std::string source;
  std::vector<TimedWork> works;
};

// What the samples and the platform say of memory, used under the roofline.
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

// Of those measurements that hold such operators.
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

// FLOPs per second.
double fastest(const OperatorTables& rows) {
  std::vector<TimedWork> works = timed_works(rows.gemms);
  append(works, timed_works(rows.grouped_gemms));
  append(works, timed_works(rows.attentions, false));
  append(works, timed_works(rows.attentions, true));
  double most = 0;
  for (const auto& [work, time] : works) most = std::max(most, work.flops.value() / time.value());
  return most;
}

// Files that a platform may name, and a note of what is in none. Those faster than the platform's peak are
// another device's, or in another unit.
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

std::vector<HeldBackError> operator_errors(const Platform& platform, const Samples& measured) {
  return errors_of_prices(platform.accelerator, measured.operators);
}

}  // namespace spillway
