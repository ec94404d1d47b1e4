// One device of a platform from its JSON form (platform/platform.h). Private to src/spec.
#pragma once

#include <optional>

#include "platform/platform.h"
#include "spec/json/place.h"

namespace spillway {

std::optional<Accelerator> read_accelerator(const Place& place);

}  // namespace spillway
