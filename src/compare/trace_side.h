// A measured trace as a side of a comparison. Private to src/compare.
#pragma once

#include <string>

#include "compare/side.h"

namespace spillway {

// Throws InputError as validate does.
Side trace_side(const std::string& path);

}  // namespace spillway
