// How far two ways to the same time may part, relative to it: rounding alone.
#pragma once

namespace spillway::testing {

inline constexpr double kRelative = 1e-9;

}  // namespace spillway::testing
