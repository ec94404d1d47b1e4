// Identifies the sweep that results belong to, wherever they are kept or shown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spillway {

// Stores with equal headings belong to the same sweep.
struct SweepHeading {
  std::string name;
  std::string identity;  // SweepFile::identity
  std::string program;   // version that computes the results
  std::string document;  // the sweep, JSON
  std::uint32_t draws;
  std::uint64_t seed;
  bool reports_replays;           // true if the sweep reports SimGrid's makespans
  std::vector<std::string> axes;  // JSON pointers into the experiment

  friend bool operator==(const SweepHeading&, const SweepHeading&) = default;
};

}  // namespace spillway
