#include "base/ticks.h"

#include <algorithm>
#include <cmath>

namespace spillway {
namespace {

constexpr int kTickBits = 40;

}  // namespace

void round_to_ticks(const std::vector<Seconds*>& times) {
  Seconds most;
  for (const Seconds* time : times) most = std::max(most, *time);
  if (!(most > Seconds()) || !std::isfinite(most.value())) return;
  const int exponent = std::ilogb(most.value()) + 1 - kTickBits;
  for (Seconds* time : times)
    *time = Seconds(std::ldexp(std::nearbyint(std::ldexp(time->value(), -exponent)), exponent));
}

void round_to_ticks(std::vector<Seconds>& times) {
  std::vector<Seconds*> all;
  for (Seconds& time : times) all.push_back(&time);
  round_to_ticks(all);
}

}  // namespace spillway
