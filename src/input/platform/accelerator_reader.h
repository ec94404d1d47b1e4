// One device of a platform from its JSON form (platform/platform.h). Private to src/input.
#pragma once

#include <optional>

#include "json/place.h"
#include "platform/platform.h"

namespace spillway {

std::optional<Accelerator> read_accelerator(const Place& place);

}  // namespace spillway
