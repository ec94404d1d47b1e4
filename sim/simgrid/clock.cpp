#include "sim/simgrid/clock.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <xbt/config.hpp>

// SimGrid 3.32 has no function that sets the clock: it is simgrid::kernel::EngineImpl::now_
// (src/kernel/EngineImpl.hpp). Null if another SimGrid has no such symbol; times then agree to 1e-9.
extern double simgrid_now __asm__("_ZN7simgrid6kernel10EngineImpl4now_E") __attribute__((weak));

namespace spillway {
namespace {

// Relative precision of a clock in [horizon / 2, horizon], whose unit in the last place is horizon * epsilon
// / 2.
constexpr double kRelative = 4 * std::numeric_limits<double>::epsilon();

constexpr double kNearestHorizon = 2;  // seconds

// Error of one date, in epsilons of the clock at the run's start, which the run at most doubles: one epsilon
// of rounding, and eight by which set_precision lets a date come too early.
constexpr double kErrorOfADate = 2 * (1 + 8) * std::numeric_limits<double>::epsilon();
constexpr double kErrorOfARun = 0x1p-30;

}  // namespace

SlowMotion::SlowMotion(Seconds least, std::uint64_t dates, double clock) : exponent_(0) {
  if (least > Seconds(0)) {
    const double of_the_clock = std::min(1.0, static_cast<double>(dates) * (kErrorOfADate / kErrorOfARun));
    const double needed = std::max(1.0, of_the_clock * clock);
    exponent_ = std::max(0, std::ilogb(needed / least.value()) + 1);
  }
  factor_ = std::ldexp(1.0, exponent_);
}

void restart_clock() {
  if (&simgrid_now != nullptr) simgrid_now = 0;
}

double set_precision(double date) {
  const double horizon = std::max(kNearestHorizon, std::ldexp(1.0, std::ilogb(date) + 1));
  simgrid::config::set_value<double>("surf/precision", kRelative * horizon);
  return horizon;
}

}  // namespace spillway
