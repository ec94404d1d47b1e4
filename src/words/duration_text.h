// Times for people: four significant digits and a unit.
#pragma once

#include <string>
#include <string_view>

#include "base/quantity.h"

namespace spillway {

// The most readable unit for `t`: s, ms or us.
struct TimeUnit {
  std::string_view name;
  double per_second;
};
TimeUnit unit_for(Seconds t);

// "13.42 s", "0.601 ms", "0 s".
std::string duration_text(Seconds t);

// The number alone, in `unit`, with the decimals that four significant digits of `scale` need. If `t` or
// `scale` is 1e9 units or more, the form is "1.000e+30", so that tables stay narrow.
std::string number_text(Seconds t, TimeUnit unit, Seconds scale);

}  // namespace spillway
