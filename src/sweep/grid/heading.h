// What the results of a sweep are of, wherever they are kept or shown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spillway {

// Two stores of equal headings belong to one sweep.
struct SweepHeading {
  std::string name;
  std::string identity;  // SweepFile::identity
  std::string program;   // version that computes it
  std::string document;  // JSON
  std::uint32_t draws;
  std::uint64_t seed;
  bool reports_replays;           // are SimGrid's makespans the sweep's?
  std::vector<std::string> axes;  // JSON pointers into the experiment

  friend bool operator==(const SweepHeading&, const SweepHeading&) = default;
};

}  // namespace spillway
