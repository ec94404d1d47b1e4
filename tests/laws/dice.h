// Draws inside rc::gen::exec.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "support/numbers.h"

namespace spillway::testing {

inline bool one_in(std::uint32_t n) {
  return number(0, n - 1) == 0;
}

template <class T>
T any_of(const std::vector<T>& values) {
  return values[number(0, static_cast<std::uint32_t>(values.size()) - 1)];
}

}  // namespace spillway::testing
