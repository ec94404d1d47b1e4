// Reads the reliability of a job's cluster. Private to src/search.
#pragma once

#include <optional>

#include "goodput/reliability.h"
#include "json/place.h"

namespace spillway {

std::optional<Reliability> read_reliability(const Place& place);

}  // namespace spillway
