// Checks shared by the architectures: the sizes of a config.json are positive and small enough to multiply.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "base/error.h"

namespace spillway {

// More than any model's width, vocabulary or expert count.
inline constexpr std::uint32_t kMostSize = 1U << 24;

struct ConfigSize {
  const char* key;
  std::uint32_t value;
  std::uint32_t largest = kMostSize;
};

// A limit, because layers are built one by one.
inline constexpr std::uint32_t kMostLayers = 100'000;

std::vector<Violation> check_sizes(std::initializer_list<ConfigSize> sizes);

// Appends a violation unless `part` divides `whole`.
void require_divides(std::vector<Violation>& violations, const char* key, std::uint32_t part,
                     std::uint32_t whole);

// Appends a violation if `value` is above `largest`.
void require_at_most(std::vector<Violation>& violations, const char* key, std::uint32_t value,
                     std::uint32_t largest);

}  // namespace spillway
