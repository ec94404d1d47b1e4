// Draws numbers in properties and inside rc::gen::exec. They are uniform from the first case on;
// RapidCheck's own ranges start narrow.
#pragma once

#include <rapidcheck.h>

#include <cstdint>

namespace spillway::testing {

inline std::uint32_t number(std::uint32_t low, std::uint32_t high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint32_t>(low, high + 1));
}

}  // namespace spillway::testing
