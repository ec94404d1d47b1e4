#include "words/duration_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace spillway {

TimeUnit unit_for(Seconds t) {
  const double size = std::abs(t.value());
  if (size == 0 || size >= 1) return {"s", 1};
  if (size >= 1e-3) return {"ms", 1e3};
  return {"us", 1e6};
}

std::string number_text(Seconds t, TimeUnit unit, Seconds scale) {
  constexpr double kWidest = 1e9;  // beyond this, digits would be wider than the column's words
  const double size = std::abs(scale.value()) * unit.per_second;
  if (std::max(size, std::abs(t.value()) * unit.per_second) >= kWidest)
    return t == Seconds() ? "0" : fmt::format("{:.3e}", t.value() * unit.per_second);
  const int whole_digits = size < 10 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
  return fmt::format("{:.{}f}", t.value() * unit.per_second, std::max(0, 4 - whole_digits));
}

std::string duration_text(Seconds t) {
  if (t == Seconds()) return "0 s";
  const TimeUnit unit = unit_for(t);
  return number_text(t, unit, t) + ' ' + std::string(unit.name);
}

}  // namespace spillway
