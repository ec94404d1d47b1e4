// Relative tolerance between two computations of the same time. It covers rounding only.
#pragma once

namespace spillway::testing {

inline constexpr double kRelative = 1e-9;

}  // namespace spillway::testing
