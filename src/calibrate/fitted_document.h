// Writes a platform or framework file with fitted numbers in place of its own.
#pragma once

#include <string>

#include "calibrate/fit_framework.h"
#include "calibrate/fitted.h"

namespace spillway {

// Returns the base document with its keys in their order. Every fitted number is written as { "value",
// "kind": "fitted", "source", "interval", "points" } to five digits, and every fitted curve in its tier's
// "collectives". Measured tables become entries of "operators". Files are named relative to `target`'s
// folder. The document's name says as which file it was calibrated. A pair of numbers is on one line. The
// document ends with a newline. Throws InputError if the base or a table cannot be read.
std::string calibrated_document(const std::string& base, const Fits& fits, const std::string& target);

// Does the same for a framework file. Every figure is written as { "value", "kind": "derived", "source",
// "interval" } to three digits. Throws InputError if the base cannot be read.
std::string learned_document(const std::string& base, const FrameworkFit& fit);

}  // namespace spillway
