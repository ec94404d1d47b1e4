#include "sim/clock.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <xbt/config.hpp>

namespace spillway {
namespace {

// Of a clock in [horizon / 2, horizon], whose unit in the last place is horizon * epsilon / 2.
constexpr double kRelative = 4 * std::numeric_limits<double>::epsilon();

constexpr double kShortestScale = 1e-12;  // seconds; for runs in which nothing takes time

// Of a date, in epsilons of the clock at the run's start, which the run at most doubles: one of rounding, and
// eight by which ClockPrecision lets it come too early.
constexpr double kErrorOfADate = 2 * (1 + 8) * std::numeric_limits<double>::epsilon();
constexpr double kErrorOfARun = 0x1p-30;

}  // namespace

SlowMotion::SlowMotion(Seconds least, std::uint64_t dates)
    : origin_(simgrid::s4u::Engine::get_clock()), exponent_(0) {
  if (least > Seconds(0) && origin_ > 0) {
    const double of_the_clock = std::min(1.0, static_cast<double>(dates) * (kErrorOfADate / kErrorOfARun));
    exponent_ = std::max(0, std::ilogb(of_the_clock * origin_ / least.value()) + 1);
  }
  factor_ = std::ldexp(1.0, exponent_);
}

Seconds SlowMotion::now() const {
  return Seconds((simgrid::s4u::Engine::get_clock() - origin_) / factor_);
}

void ClockPrecision::start(double scale) {
  const double soon = simgrid::s4u::Engine::get_clock() + std::max(scale, kShortestScale);
  reach(std::ldexp(1.0, std::ilogb(soon) + 1));
}

void ClockPrecision::reach(double horizon) {
  simgrid::config::set_value<double>("surf/precision", kRelative * horizon);
  timer_ = simgrid::kernel::timer::Timer::set(horizon, [this, horizon] { reach(2 * horizon); });
}

void ClockPrecision::stop() {
  if (timer_ != nullptr) timer_->remove();
  timer_ = nullptr;
}

}  // namespace spillway
