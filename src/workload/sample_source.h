// The stream of samples of one replica in a draw. Private to src/workload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workload/random_stream.h"
#include "workload/workload.h"

namespace spillway {

struct Sample {
  std::vector<MediaItem> media = {};  // images and videos, then clips
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
  std::size_t place(const std::vector<double>& cumulative);
  std::uint32_t pick(const Histogram& histogram) { return histogram.values[place(histogram.cumulative)]; }
  // Adds items, without those that have no patches.
  void add(const Histogram& items_of_a_sample, const PatchDistribution& items, std::vector<MediaItem>& to);

  const WorkloadSpec& spec_;
  RandomStream random_;
};

}  // namespace spillway
