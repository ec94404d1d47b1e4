// Ports and tiers of a platform from their JSON form (platform/platform.h). Private to src/input.
#pragma once

#include <optional>
#include <vector>

#include "json/place.h"
#include "platform/platform.h"

namespace spillway {

std::optional<NetworkPort> read_port(const Place& place);

// `ports` is empty where they could not be read; the tier is then checked but for its port.
std::optional<Tier> read_tier(const Place& place, const std::vector<NetworkPort>& ports);

}  // namespace spillway
