// Sizes that no experiment exceeds.
#pragma once

#include <cstdint>

namespace spillway {

inline constexpr std::uint32_t kMostDraws = 1'000'000;

}  // namespace spillway
