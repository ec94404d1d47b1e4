// Finds the layers of a pass: the same kernels, several times in a row. Private to src/traces.
//
// Idea: a run of k equal layers of p kernels each is a stretch in which every kernel equals the one p before
// it. For each p the longest such stretch counts; the p that covers the most kernels wins, and of several the
// smallest, because two layers together repeat as well as one. What lies before and after is searched in the
// same way: a vision encoder and a language model are two runs.
//
// Example: a b c d  b c d  b c d  e has p = 3: the run begins at 1, with 3 layers of "b c d".
//
// Cost: O(n p) for each run that is found, with p up to kLongestLayer, and n p up to 1e8. Source: runs
// (maximal repetitions), Main and Lorentz, "An O(n log n) algorithm for finding all repetitions in a string",
// 1984; ours is the plain scan. tests/traces/repeated_layers_test.cpp compares with all pairs of places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace spillway {

inline constexpr std::size_t kLongestLayer = 4096;
inline constexpr std::size_t kFewestLayers = 3;

struct EqualLayers {
  std::size_t first;   // index of its first kernel
  std::size_t period;  // kernels of a layer
  std::size_t layers;

  std::size_t kernels() const { return period * layers; }
  friend bool operator==(const EqualLayers&, const EqualLayers&) = default;
};

// Returns runs in the order of the sequence, disjoint, each with at least two different kernels in a layer
// and at least a twentieth of the sequence.
std::vector<EqualLayers> repeated_layers(std::span<const std::uint32_t> kernels);

}  // namespace spillway
