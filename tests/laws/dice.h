// Draws inside rc::gen::exec, uniform from the first job on: RapidCheck's ranges alone start narrow.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace spillway::testing {

inline std::uint32_t number(std::uint32_t low, std::uint32_t high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint32_t>(low, high + 1));
}

inline bool one_in(std::uint32_t n) {
  return number(0, n - 1) == 0;
}

template <class T>
T any_of(const std::vector<T>& values) {
  return values[number(0, static_cast<std::uint32_t>(values.size()) - 1)];
}

}  // namespace spillway::testing
