// The stream of samples of one replica of a draw. Private to src/workload.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/random_stream.h"
#include "workload/workload.h"

namespace spillway {

struct Sample {
  std::vector<std::uint32_t> image_patches;
  std::uint64_t text_tokens = 0;
};

// Samples come one after another from one stream, so a draw depends on nothing else.
class SampleSource {
 public:
  SampleSource(const WorkloadSpec& spec, const DrawOf& draw, std::uint32_t replica);

  // Images without patches are left out. At least one token or image: a sample of nothing still ends, and its
  // end keeps a sequence from taking samples forever.
  Sample next();

 private:
  std::uint32_t pick(const std::vector<std::uint32_t>& values, const std::vector<double>& cumulative);

  const WorkloadSpec& spec_;
  RandomStream random_;
};

}  // namespace spillway
