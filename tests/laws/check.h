// Checks jobs against the laws.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "laws.h"

namespace spillway::testing {

struct Break {
  std::string law;
  std::uint64_t job;
  std::string what;
};

// The result of one law.
struct Tally {
  std::string_view law;
  std::uint64_t held = 0;
  std::uint64_t said_nothing = 0;
  std::uint64_t broken = 0;
};

struct Checked {
  std::vector<Tally> tallies;  // in the laws' order
  std::vector<Break> breaks;   // in the jobs' order
};

// Checks jobs first, first + 1, ...; `only` is the name of a law, or empty for all. An exception breaks the
// law.
Checked check(std::uint64_t first, std::uint64_t count, std::string_view only = {});

// Returns what broke, and how to reproduce it.
std::string to_string(const Break& broken);

}  // namespace spillway::testing
