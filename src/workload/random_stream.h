// Random numbers that are the same on every machine. The C++ standard fixes the generator and its seed
// sequence to the bit, but not its distributions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>

namespace spillway {

class RandomStream {
 public:
  explicit RandomStream(std::initializer_list<std::uint32_t> seeds) {
    std::seed_seq sequence(seeds);
    generator_.seed(sequence);
  }

  // [0, 1) in steps of 2^-53.
  double uniform() { return static_cast<double>(generator_() >> 11) * 0x1.0p-53; }

 private:
  std::mt19937_64 generator_;
};

}  // namespace spillway
