// Assembles microbatches from a stream of samples, replica by replica.
#include "workload/workload.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "workload/sample_source.h"

namespace spillway {
namespace {

std::uint64_t patches_in(const std::vector<std::uint32_t>& images) {
  return std::accumulate(images.begin(), images.end(), std::uint64_t{0});
}

class Assembly {
 public:
  explicit Assembly(const WorkloadSpec& spec) : spec_(spec) {}

  bool fits(const Sample& sample) const {
    return patches_fit(sample) && image_tokens(sample) + sample.text_tokens <= tokens_left();
  }

  void add(const Sample& sample) {
    load_.image_patches.insert(load_.image_patches.end(), sample.image_patches.begin(),
                               sample.image_patches.end());
    load_.samples += 1;
    load_.each.push_back({static_cast<std::uint32_t>(sample.image_patches.size()),
                          static_cast<std::uint32_t>(image_tokens(sample)),
                          static_cast<std::uint32_t>(sample.text_tokens)});
    load_.documents.push_back(load_.each.back().tokens());
    load_.text_tokens += static_cast<std::uint32_t>(sample.text_tokens);
    load_.image_tokens += static_cast<std::uint32_t>(image_tokens(sample));
    patches_ += patches_in(sample.image_patches);
  }

  // Adds a sample that may be too big even for an empty sequence. It loses images, the last ones first, and
  // then text.
  void add_clipped(const Sample& sample) {
    Sample rest = sample;
    while (!rest.image_patches.empty() && !fits(rest)) rest.image_patches.pop_back();
    rest.text_tokens = std::min(rest.text_tokens, tokens_left());
    add_rest(sample, rest);
  }

  // Limits only the patches; the sequence grows with its samples.
  void add_patches_that_fit(const Sample& sample) {
    Sample rest = sample;
    while (!patches_fit(rest)) rest.image_patches.pop_back();
    add_rest(sample, rest);
  }

  MicrobatchLoad load(std::uint32_t sequence_tokens) && {
    load_.sequence_tokens = sequence_tokens;
    load_.packing = spec_.packing;
    return std::move(load_);
  }

  std::uint32_t tokens() const { return load_.image_tokens + load_.text_tokens; }

 private:
  std::uint64_t image_tokens(const Sample& sample) const {
    return patches_in(sample.image_patches) / spec_.patches.patches_per_token;
  }
  // Adds the rest of a sample and counts what it lost.
  void add_rest(const Sample& sample, const Sample& rest) {
    add(rest);
    const std::size_t images = sample.image_patches.size() - rest.image_patches.size();
    const std::uint64_t text = sample.text_tokens - rest.text_tokens;
    load_.dropped.samples += images > 0 || text > 0 ? 1 : 0;
    load_.dropped.images += static_cast<std::uint32_t>(images);
    load_.dropped.image_tokens += image_tokens(sample) - image_tokens(rest);
    load_.dropped.text_tokens += text;
  }
  bool patches_fit(const Sample& sample) const {
    return patches_in(sample.image_patches) <= spec_.max_patches - patches_;
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
