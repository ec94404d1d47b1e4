#include "measured/fit_operators.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "measured/fit_memory.h"
#include "measured/held_back.h"
#include "measured/roofline_fit.h"
#include "measured/table_errors.h"
#include "measured/timed_works.h"

namespace spillway {
namespace {

// Of latency in an operator's least time, so that what the roofline leaves out is small.
constexpr double kLatenciesAtLeast = 5;

struct Kind {
  std::string pointer;  // of its efficiency
  std::string what;
  std::vector<TimedWork> works;
};

// What the samples and the platform say of memory, used under the roofline.
struct Floor {
  BytesPerSecond memory;
  Seconds latency;
};

class OperatorFits {
 public:
  OperatorFits(const Samples& samples, const Platform& platform)
      : accelerator_(platform.accelerator),
        source_(samples.source),
        floor_{accelerator_.memory_bandwidth.value * accelerator_.efficiency.memory.value,
               accelerator_.memory_latency.value} {}

  void fit_memory(const std::vector<TimedWork>& products) {
    const MemoryFit fit = memory_fit(products, accelerator_, source_);
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
    fits_.numbers.push_back({kind.pointer, value, low, high, fit->compute_bound, source_});
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
    if (!errors.empty()) fits_.held_back.push_back(held_back_error(what, errors));
  }

  void leave_open(const Kind& kind, std::size_t large, const std::string& why) {
    fits_.undetermined.push_back({kind.pointer, "of " + std::to_string(kind.works.size()) + " " + kind.what +
                                                    " " + std::to_string(large) + " are long enough, and " +
                                                    why});
  }

  static std::string percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

  const Accelerator& accelerator_;
  std::string source_;
  Floor floor_;
  Fits fits_;
};

}  // namespace

Fits fit_operators(const Samples& samples, const Platform& platform) {
  const OperatorTables& tables = samples.operators;
  const std::string prefix = "/accelerator/efficiency/";
  const std::vector<Kind> kinds = {
      {prefix + "gemm", "matrix products", timed_works(tables.gemms)},
      {prefix + "grouped_gemm", "grouped matrix products", timed_works(tables.grouped_gemms)},
      {prefix + "attention", "attention forwards", timed_works(tables.attentions, false)},
      {prefix + "attention_backward", "attention backwards", timed_works(tables.attentions, true)}};
  OperatorFits fits(samples, platform);
  if (!kinds.front().works.empty()) fits.fit_memory(kinds.front().works);
  for (const Kind& kind : kinds)
    if (!kind.works.empty()) fits.fit_efficiency(kind);
  fits.hold_tables(tables);
  return fits.take();
}

}  // namespace spillway
