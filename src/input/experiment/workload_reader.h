// Reads the content of microbatches: the "workload" of an analytic experiment, and the "image_work" of a
// block with given durations. Private to src/input.
#pragma once

#include <optional>

#include "cost/given.h"
#include "json/place.h"
#include "workload/workload.h"

namespace spillway {

// `encoder` has the patch and merge sizes of the model's encoder. A model with an encoder needs images, so a
// workload of text alone is refused for it.
std::optional<WorkloadSpec> read_workload(const Place& place, const ResizeRule& encoder, bool has_encoder);

// Reads the same keys with other defaults: no text, one image per sample, and no packing. Patches are those
// of Qwen2-VL.
std::optional<ImageWork> read_image_work(const Place& place);

}  // namespace spillway
