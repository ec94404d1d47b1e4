// What microbatches hold: the "workload" of an analytic experiment, the "image_work" of a block with given
// durations. Private to src/input.
#pragma once

#include <optional>

#include "cost/given.h"
#include "json/place.h"
#include "workload/workload.h"

namespace spillway {

// `encoder` gives the patch and the merge that the model's encoder takes images in. A model with an encoder
// needs images, so a workload of text alone is refused then.
std::optional<WorkloadSpec> read_workload(const Place& place, const ResizeRule& encoder, bool has_encoder);

// The same keys, but that text and images of a sample need not be said (none, one image) and that nothing is
// packed unless it is said; patches are Qwen2-VL's.
std::optional<ImageWork> read_image_work(const Place& place);

}  // namespace spillway
