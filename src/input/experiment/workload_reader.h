// Reads the content of microbatches: the "workload" of an analytic experiment, and the "image_work" of a
// block with given durations. Private to src/input.
#pragma once

#include <optional>
#include <vector>

#include "cost/given.h"
#include "json/place.h"
#include "workload/audio.h"
#include "workload/workload.h"

namespace spillway {

// The rules of the model's encoders; absent: it has none of this kind.
struct EncoderRules {
  std::optional<ResizeRule> vision;
  std::optional<AudioRule> audio;

  bool any() const { return vision || audio; }
};

// Returns the rules of the first encoder of each kind. An encoder that is no tower takes images by the
// default rule.
EncoderRules first_of_each(const std::vector<EncoderRules>& encoders);

// An encoder needs its images or audio, so a workload without them is refused; so is audio without an encoder
// for it. A model without any encoder may state images: their tokens are then those of Qwen2-VL's rule.
std::optional<WorkloadSpec> read_workload(const Place& place, const EncoderRules& encoders);

// Reads the same keys with other defaults: no text, one image per sample, and no packing. Patches are those
// of Qwen2-VL.
std::optional<ImageWork> read_image_work(const Place& place);

}  // namespace spillway
