#include "input/experiment/workload_reader.h"

#include <array>
#include <memory>
#include <numeric>

#include "input/architecture/resize_rules.h"
#include "input/experiment/trace.h"
#include "input/images/image_rows.h"
#include "json/named_file.h"

namespace spillway {
namespace {

using PackingWord = std::pair<std::string_view, Packing>;
constexpr std::array<PackingWord, 2> kPackings = {
    {{"packed", Packing::Packed}, {"unpacked", Packing::Unpacked}}};

constexpr Range kClipSeconds{
    .above = 0, .at_most = kMostSeconds, .expected = "seconds above 0, at most 86400"};

std::optional<Histogram> read_inline_histogram(const Place& place) {
  const Fields fields(place, {"values", "shares"});
  const auto values = fields.need("values", [](const Place& p) {
    return read_each(p, [](const Place& value) { return read_count(value, 0, kMostPerSample); });
  });
  const auto shares = fields.need("shares", [](const Place& p) {
    return read_each(p, [](const Place& share) { return read_number(share, kNotNegative); });
  });
  if (!values || !shares) return std::nullopt;
  if (shares->size() != values->size()) {
    fields.at("shares")->refuse("a list of " + std::to_string(values->size()) + ", one share per value");
    return std::nullopt;
  }
  std::vector<TokenShare> rows;
  for (std::size_t i = 0; i < values->size(); ++i) rows.push_back({(*values)[i], (*shares)[i]});
  if (std::accumulate(shares->begin(), shares->end(), 0.0) > 0) return histogram_of(rows);
  fields.at("shares")->refuse("a share above 0");
  return std::nullopt;
}

// Reads a file, values with shares, or one number.
std::optional<Histogram> read_distribution(const Place& place) {
  if (std::holds_alternative<std::string>(place.node->value)) return read_named_file(place, read_histogram);
  if (std::holds_alternative<Object>(place.node->value)) return read_inline_histogram(place);
  const auto value = read_count(place, 0, kMostPerSample);
  return value ? std::optional(Histogram{{*value}, {1.0}}) : std::nullopt;
}

std::optional<std::uint64_t> read_pixels(const Place& place) {
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  return read_whole(place, 1, most);
}

std::optional<VideoRule> read_video_rule(const Place& place, const ResizeRule& tower) {
  const Fields fields(place, {"fps", "min_frames", "max_frames", "min_pixels", "max_pixels", "total_pixels"});
  if (!takes_videos(tower)) {
    place.refuse("no such key, since the rule of this tower does not say how videos are sampled");
    return std::nullopt;
  }
  VideoRule rule = tower.video;
  const auto read_frames = [](const Place& p) { return read_count(p, 1, kMostFrames); };
  rule.fps = fields.get("fps", [](const Place& p) { return read_number(p, kFrameRate); }).value_or(rule.fps);
  rule.min_frames = fields.get("min_frames", read_frames).value_or(rule.min_frames);
  rule.max_frames = fields.get("max_frames", read_frames).value_or(rule.max_frames);
  rule.min_pixels = fields.get("min_pixels", read_pixels).value_or(rule.min_pixels);
  rule.max_pixels = fields.get("max_pixels", read_pixels).value_or(rule.max_pixels);
  if (rule.budget == PixelBudget::Whole)
    fields.forbid("total_pixels", "no such key, since max_pixels is that of all frames together");
  else
    rule.total_pixels = fields.get("total_pixels", read_pixels).value_or(rule.total_pixels);
  const auto in_order = [&](const char* key, std::uint64_t least, std::uint64_t most) {
    if (least > most)
      place.findings->add(child(place.pointer, key), "at most the largest, " + std::to_string(most),
                          std::to_string(least));
    return least <= most;
  };
  const bool frames = in_order("min_frames", rule.min_frames, rule.max_frames);
  const bool pixels = in_order("min_pixels", rule.min_pixels, rule.max_pixels);
  return frames && pixels ? std::optional(rule) : std::nullopt;
}

std::optional<ResizeRule> read_rule(const Place& place, ResizeRule rule) {
  const Fields fields(place, {"min_pixels", "max_pixels", "video"});
  rule.video =
      fields.get("video", [&](const Place& p) { return read_video_rule(p, rule); }).value_or(rule.video);
  rule.min_pixels = fields.get("min_pixels", read_pixels).value_or(rule.min_pixels);
  rule.max_pixels = fields.get("max_pixels", read_pixels).value_or(rule.max_pixels);
  if (rule.min_pixels <= rule.max_pixels) return rule;
  place.refuse("min_pixels of at most max_pixels, " + std::to_string(rule.max_pixels));
  return std::nullopt;
}

void read_packing(const Fields& fields, WorkloadSpec& spec) {
  spec.packing = fields.get("packing", [](const Place& p) { return read_choice<Packing>(p, kPackings); })
                     .value_or(spec.packing);
  if (spec.packing == Packing::Packed) {
    fields.forbid("samples_per_microbatch",
                  "no such key, since samples fill packed sequences of sequence_tokens");
    spec.sequence_tokens =
        fields.get("sequence_tokens", [](const Place& p) { return read_count(p, 1, kLongestSequence); })
            .value_or(spec.sequence_tokens);
  } else {
    fields.forbid("sequence_tokens", "no such key, since unpacked sequences are as long as their samples");
    spec.samples_per_microbatch =
        fields.get("samples_per_microbatch", [](const Place& p) { return read_count(p, 1, kMostSamples); })
            .value_or(spec.samples_per_microbatch);
  }
  spec.max_patches = fields.get("max_patches", [](const Place& p) { return read_count(p, 1, kMostPatches); })
                         .value_or(spec.max_patches);
}

// An unpacked sequence has at most the text of its samples and the tokens of max_patches.
void check_longest(const Fields& fields, const WorkloadSpec& spec) {
  if (spec.packing == Packing::Packed || spec.text_tokens.values.empty()) return;
  const double longest = static_cast<double>(spec.samples_per_microbatch) * spec.text_tokens.values.back();
  if (longest <= kLongestSequence) return;
  if (const auto place = fields.at("samples_per_microbatch"))
    place->refuse("samples whose text makes at most " + std::to_string(kLongestSequence) + " tokens");
}

// Reads the short form of a text model: a number of sequences of one length, with nothing drawn.
std::optional<WorkloadSpec> read_text_only(const Fields& fields, const EncoderRules& encoders) {
  for (const char* key : {"trace", "rule", "images_per_sample", "text_only_share", "text_tokens", "packing",
                          "samples_per_microbatch", "max_patches", "audio"})
    fields.forbid(
        key, "no such key beside sequences_per_microbatch, since microbatches then hold text of one length");
  const auto length =
      fields.need("sequence_tokens", [](const Place& p) { return read_count(p, 1, kLongestSequence); });
  const auto sequences = fields.get("sequences_per_microbatch", [&](const Place& p) {
    return read_count(p, 1, kLongestSequence / length.value_or(1));
  });
  if (encoders.any()) {
    fields.at("sequences_per_microbatch")
        ->refuse(encoders.vision ? "a workload with an image trace, since a block of the model encodes images"
                                 : "a workload with audio, since a block of the model encodes it");
    return std::nullopt;
  }
  if (!length || !sequences) return std::nullopt;
  WorkloadSpec spec;
  spec.packing = Packing::TextOnly;
  spec.sequence_tokens = *length;
  spec.sequences_per_microbatch = *sequences;
  return spec;
}

// Reads the content of samples. A distribution that `spec` already has may be left out, and so may all keys
// for images if no sample has any. Returns nothing if something is missing.
std::optional<WorkloadSpec> read_samples(const Fields& fields, const ResizeRule& encoder, WorkloadSpec spec,
                                         bool may_have_images = true) {
  spec.text_only_share = fields.get("text_only_share", [](const Place& p) { return read_number(p, kShare); })
                             .value_or(may_have_images ? 0.0 : 1.0);
  const bool has_images = spec.text_only_share < 1;
  const auto rule = fields.get("rule", [&](const Place& p) { return read_rule(p, encoder); });
  const auto read_images = [&](const Place& p) {
    return read_named_file(p, read_image_trace, rule.value_or(encoder));
  };
  const auto read_into = [&](Histogram& histogram, const char* key, bool wanted) {
    const bool needed = wanted && histogram.values.empty();
    const auto read = needed ? fields.need(key, read_distribution) : fields.get(key, read_distribution);
    if (read) histogram = *read;
    return read || !needed;
  };
  const auto patches = has_images ? fields.need("trace", read_images) : fields.get("trace", read_images);
  const bool images = read_into(spec.images_per_sample, "images_per_sample", has_images);
  const bool text = read_into(spec.text_tokens, "text_tokens", true);
  read_packing(fields, spec);
  if ((has_images && !patches) || !images || !text) return std::nullopt;
  if (patches) spec.patches = *patches;
  check_longest(fields, spec);
  return spec;
}

Histogram always(std::uint32_t value) {
  return {{value}, {1.0}};
}

// Reads the clips of samples into `spec`. Returns false if something is missing.
bool read_audio(const Place& place, const AudioRule& rule, WorkloadSpec& spec) {
  const Fields fields(place, {"trace", "clips_per_sample", "max_seconds"});
  AudioRule own = rule;
  own.max_seconds = fields.get("max_seconds", [](const Place& p) { return read_number(p, kClipSeconds); })
                        .value_or(rule.max_seconds);
  const auto clips =
      fields.need("trace", [&](const Place& p) { return read_named_file(p, read_audio_trace, own); });
  const auto per_sample = fields.need("clips_per_sample", read_distribution);
  if (!clips || !per_sample) return false;
  spec.clips = *clips;
  spec.clips_per_sample = *per_sample;
  return true;
}

constexpr std::array<std::string_view, 11> kDrawnWorkloadKeys = {"trace",
                                                                 "rule",
                                                                 "images_per_sample",
                                                                 "text_only_share",
                                                                 "text_tokens",
                                                                 "packing",
                                                                 "sequence_tokens",
                                                                 "samples_per_microbatch",
                                                                 "sequences_per_microbatch",
                                                                 "max_patches",
                                                                 "audio"};

}  // namespace

EncoderRules first_of_each(const std::vector<EncoderRules>& encoders) {
  EncoderRules rules;
  for (const EncoderRules& encoder : encoders) {
    if (!rules.vision) rules.vision = encoder.vision;
    if (!rules.audio) rules.audio = encoder.audio;
  }
  if (!encoders.empty() && !rules.any()) rules.vision = ResizeRule{};
  return rules;
}

std::optional<WorkloadSpec> read_workload(const Place& place, const EncoderRules& encoders) {
  const Fields fields(place, {kDrawnWorkloadKeys.begin(), kDrawnWorkloadKeys.end()});
  if (fields.at("sequences_per_microbatch")) return read_text_only(fields, encoders);
  WorkloadSpec usual;
  if (!encoders.audio) {
    fields.forbid("audio", "no such key, since no block of the model encodes audio");
    return read_samples(fields, encoders.vision.value_or(ResizeRule{}), usual);
  }
  const bool audio_alone = !encoders.vision;
  if (audio_alone)
    for (const char* key : {"trace", "rule", "images_per_sample", "text_only_share"})
      fields.forbid(key, "no such key, since no block of the model encodes images");
  const auto audio = fields.need("audio", [&](const Place& p) {
    return read_audio(p, *encoders.audio, usual) ? std::optional(true) : std::nullopt;
  });
  const auto spec = read_samples(fields, encoders.vision.value_or(ResizeRule{}), usual, !audio_alone);
  return audio ? spec : std::nullopt;
}

std::optional<ImageWork> read_image_work(const Place& place) {
  const Fields fields(
      place, {"profile_patches", "trace", "rule", "images_per_sample", "text_only_share", "text_tokens",
              "packing", "sequence_tokens", "samples_per_microbatch", "max_patches"});
  const auto patches =
      fields.need("profile_patches", [](const Place& p) { return read_count(p, 1, kMostPatches); });
  WorkloadSpec usual;
  usual.images_per_sample = always(1);
  usual.text_tokens = always(0);
  usual.packing = Packing::Unpacked;
  const auto workload = read_samples(fields, ResizeRule{}, usual);
  if (!patches || !workload) return std::nullopt;
  return ImageWork{std::make_shared<const WorkloadSpec>(*workload), *patches};
}

}  // namespace spillway
