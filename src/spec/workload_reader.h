// The "workload" of an analytic experiment. Private to src/spec.
#pragma once

#include <optional>

#include "spec/place.h"
#include "workload/workload.h"

namespace spillway {

// `encoder` gives the patch and the merge that the model's encoder takes images in. A model with an encoder
// needs images, so a workload of text alone is refused then.
std::optional<WorkloadSpec> read_workload(const Place& place, const ResizeRule& encoder, bool has_encoder);

}  // namespace spillway
