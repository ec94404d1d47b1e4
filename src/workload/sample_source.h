// The stream of samples of one replica in a draw. Private to src/workload.
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

// All samples come from one stream in sequence, so a draw depends on nothing else.
class SampleSource {
 public:
  SampleSource(const WorkloadSpec& spec, const DrawOf& draw, std::uint32_t replica);

  // Returns the next sample, without images that have no patches. It has at least one token or image:
  // otherwise empty samples could be added to a sequence forever.
  Sample next();

 private:
  std::uint32_t pick(const std::vector<std::uint32_t>& values, const std::vector<double>& cumulative);

  const WorkloadSpec& spec_;
  RandomStream random_;
};

}  // namespace spillway
