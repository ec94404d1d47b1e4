// A framework file with what was read off a run in the place of its own.
#pragma once

#include <string>

#include "calibrate/fit_framework.h"

namespace spillway {

// The base document, its keys in their order, with every figure as { "value", "kind": "derived", "source",
// "interval" } to three digits. Ends with a newline. Throws InputError where the base cannot be read.
std::string learned_document(const std::string& base, const FrameworkFit& fit);

}  // namespace spillway
