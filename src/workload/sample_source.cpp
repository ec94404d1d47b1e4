#include "workload/sample_source.h"

#include <algorithm>

namespace spillway {

SampleSource::SampleSource(const WorkloadSpec& spec, const DrawOf& draw, std::uint32_t replica)
    : spec_(spec),
      random_({static_cast<std::uint32_t>(draw.seed), static_cast<std::uint32_t>(draw.seed >> 32),
               draw.number, replica}) {}

Sample SampleSource::next() {
  Sample sample;
  const bool has_images = random_.uniform() >= spec_.text_only_share;
  sample.text_tokens = pick(spec_.text_tokens.values, spec_.text_tokens.cumulative);
  if (has_images) {
    const std::uint32_t images = pick(spec_.images_per_sample.values, spec_.images_per_sample.cumulative);
    for (std::uint32_t i = 0; i < images; ++i) {
      const std::uint32_t patches = pick(spec_.patches.patches, spec_.patches.cumulative);
      if (patches > 0) sample.image_patches.push_back(patches);
    }
  }
  if (sample.image_patches.empty()) sample.text_tokens = std::max<std::uint64_t>(sample.text_tokens, 1);
  return sample;
}

std::uint32_t SampleSource::pick(const std::vector<std::uint32_t>& values,
                                 const std::vector<double>& cumulative) {
  const auto above = std::upper_bound(cumulative.begin(), cumulative.end(), random_.uniform());
  const auto index = static_cast<std::size_t>(above - cumulative.begin());
  return values[std::min(index, values.size() - 1)];
}

}  // namespace spillway
