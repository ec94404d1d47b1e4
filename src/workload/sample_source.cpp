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
  sample.text_tokens = pick(spec_.text_tokens);
  if (has_images) add(spec_.images_per_sample, spec_.patches, sample.media);
  if (!spec_.clips_per_sample.values.empty()) add(spec_.clips_per_sample, spec_.clips, sample.media);
  if (sample.media.empty()) sample.text_tokens = std::max<std::uint64_t>(sample.text_tokens, 1);
  return sample;
}

void SampleSource::add(const Histogram& items_of_a_sample, const PatchDistribution& items,
                       std::vector<MediaItem>& to) {
  const std::uint32_t count = pick(items_of_a_sample);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t at = place(items.cumulative);
    const std::uint32_t patches = items.patches[at];
    if (patches == 0) continue;
    to.push_back(!items.items.empty()
                     ? items.items[at]
                     : MediaItem{Modality::Vision, patches, 1, patches / items.patches_per_token, 0});
  }
}

std::size_t SampleSource::place(const std::vector<double>& cumulative) {
  const auto above = std::upper_bound(cumulative.begin(), cumulative.end(), random_.uniform());
  return std::min(static_cast<std::size_t>(above - cumulative.begin()), cumulative.size() - 1);
}

}  // namespace spillway
