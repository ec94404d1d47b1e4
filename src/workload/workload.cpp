// Assembles microbatches from a stream of samples, replica by replica.
#include "workload/workload.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/error.h"
#include "workload/sample_source.h"

namespace spillway {
namespace {

struct MediaSums {
  std::uint64_t patches = 0;  // of images and videos
  std::uint32_t images = 0, clips = 0;
  std::uint64_t image_tokens = 0, audio_tokens = 0, text = 0;

  std::uint64_t tokens() const { return image_tokens + audio_tokens + text; }
};

MediaSums sums_of(const std::vector<MediaItem>& media) {
  MediaSums sums;
  for (const MediaItem& item : media) {
    const bool audio = item.modality == Modality::Audio;
    (audio ? sums.clips : sums.images) += 1;
    (audio ? sums.audio_tokens : sums.image_tokens) += item.tokens;
    sums.text += item.text;
    if (!audio) sums.patches += item.patches;
  }
  return sums;
}

void drop_last_image(std::vector<MediaItem>& media) {
  const auto last = std::find_if(media.rbegin(), media.rend(),
                                 [](const MediaItem& item) { return item.modality == Modality::Vision; });
  media.erase(std::prev(last.base()));
}

class Assembly {
 public:
  explicit Assembly(const WorkloadSpec& spec) : spec_(spec) {}

  bool fits(const Sample& sample) const {
    return patches_fit(sample) && sums_of(sample.media).tokens() + sample.text_tokens <= tokens_left();
  }

  void add(const Sample& sample) {
    const MediaSums sums = sums_of(sample.media);
    load_.media.insert(load_.media.end(), sample.media.begin(), sample.media.end());
    load_.samples += 1;
    load_.each.push_back({sums.images + sums.clips, static_cast<std::uint32_t>(sums.image_tokens),
                          static_cast<std::uint32_t>(sample.text_tokens + sums.text),
                          static_cast<std::uint32_t>(sums.audio_tokens)});
    const SampleLoad& added = load_.each.back();
    load_.documents.push_back(added.tokens());
    load_.text_tokens += added.text_tokens;
    load_.image_tokens += added.image_tokens;
    load_.audio_tokens += added.audio_tokens;
    patches_ += sums.patches;
  }

  // Adds a sample that may be too big even for an empty sequence. It loses clips and images, the last ones
  // first, and then text.
  void add_clipped(const Sample& sample) {
    Sample rest = within_patches(sample);
    while (!rest.media.empty() && !fits(rest)) rest.media.pop_back();
    rest.text_tokens = std::min(rest.text_tokens, tokens_left());
    add_rest(sample, rest);
  }

  // Limits only the patches; the sequence grows with its samples.
  void add_patches_that_fit(const Sample& sample) { add_rest(sample, within_patches(sample)); }

  MicrobatchLoad load(std::uint32_t sequence_tokens) && {
    load_.sequence_tokens = sequence_tokens;
    load_.packing = spec_.packing;
    return std::move(load_);
  }

  std::uint32_t tokens() const { return load_.image_tokens + load_.text_tokens + load_.audio_tokens; }

 private:
  Sample within_patches(Sample sample) const {
    while (!patches_fit(sample)) drop_last_image(sample.media);
    return sample;
  }
  // Adds the rest of a sample and counts what it lost.
  void add_rest(const Sample& sample, const Sample& rest) {
    add(rest);
    const MediaSums had = sums_of(sample.media), has = sums_of(rest.media);
    const std::uint64_t text = sample.text_tokens + had.text - rest.text_tokens - has.text;
    const bool lost = had.images > has.images || had.clips > has.clips || text > 0;
    load_.dropped.samples += lost ? 1 : 0;
    load_.dropped.images += had.images - has.images;
    load_.dropped.clips += had.clips - has.clips;
    load_.dropped.image_tokens += had.image_tokens - has.image_tokens;
    load_.dropped.audio_tokens += had.audio_tokens - has.audio_tokens;
    load_.dropped.text_tokens += text;
  }
  bool patches_fit(const Sample& sample) const {
    return sums_of(sample.media).patches <= spec_.max_patches - patches_;
  }
  // Returns the free tokens of a packed sequence.
  std::uint64_t tokens_left() const { return spec_.sequence_tokens - tokens(); }

  const WorkloadSpec& spec_;
  MicrobatchLoad load_{{}, 0, 0, 0, 0, 1};
  std::uint64_t patches_ = 0;
};

// Fills a sequence. The first sample that no longer fits begins the next microbatch.
MicrobatchLoad packed(const WorkloadSpec& spec, SampleSource& source, std::optional<Sample>& carried) {
  Assembly assembly(spec);
  Sample sample = carried ? std::move(*carried) : source.next();
  assembly.add_clipped(sample);
  for (sample = source.next(); assembly.fits(sample); sample = source.next()) assembly.add(sample);
  carried = std::move(sample);
  return std::move(assembly).load(spec.sequence_tokens);
}

MicrobatchLoad unpacked(const WorkloadSpec& spec, SampleSource& source) {
  Assembly assembly(spec);
  for (std::uint32_t i = 0; i < spec.samples_per_microbatch; ++i)
    assembly.add_patches_that_fit(source.next());
  const std::uint32_t tokens = std::max(assembly.tokens(), 1u);
  return std::move(assembly).load(tokens);
}

MicrobatchLoad text_only(const WorkloadSpec& spec) {
  const std::uint32_t tokens = spec.sequences_per_microbatch * spec.sequence_tokens;
  return {{}, spec.sequences_per_microbatch, 0, tokens, tokens, spec.sequences_per_microbatch};
}

std::vector<MicrobatchLoad> replica_loads(const WorkloadSpec& spec, std::uint32_t microbatches,
                                          SampleSource source) {
  std::vector<MicrobatchLoad> loads;
  loads.reserve(microbatches);
  std::optional<Sample> carried;
  for (std::uint32_t m = 0; m < microbatches; ++m)
    loads.push_back(spec.packing == Packing::Packed ? packed(spec, source, carried) : unpacked(spec, source));
  return loads;
}

}  // namespace

double Histogram::mean() const {
  double mean = 0, before = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    mean += values[i] * (cumulative[i] - before);
    before = cumulative[i];
  }
  return mean;
}

std::vector<MicrobatchLoad> sample_replica(const WorkloadSpec& spec, const DrawOf& draw,
                                           std::uint32_t replica) {
  ensure(spec.sequence_tokens > 0 && spec.samples_per_microbatch > 0 && spec.sequences_per_microbatch > 0,
         "a microbatch has room for a sample");
  if (spec.packing == Packing::TextOnly)
    return std::vector<MicrobatchLoad>(draw.microbatches, text_only(spec));
  return replica_loads(spec, draw.microbatches, SampleSource(spec, draw, replica));
}

Draw sample(const WorkloadSpec& spec, const DrawOf& draw) {
  Draw loads;
  loads.reserve(draw.replicas);
  for (std::uint32_t replica = 0; replica < draw.replicas; ++replica)
    loads.push_back(sample_replica(spec, draw, replica));
  return loads;
}

}  // namespace spillway
