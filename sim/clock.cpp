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

// How many binary digits the clock may be ahead of a run's longest event.
constexpr int kDigitsOfThePast = 19;

}  // namespace

SlowMotion::SlowMotion(Seconds longest) : origin_(simgrid::s4u::Engine::get_clock()), exponent_(0) {
  if (longest > Seconds(0) && origin_ > 0) {
    exponent_ = std::max(0, std::ilogb(origin_) - std::ilogb(longest.value()) - kDigitsOfThePast);
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
