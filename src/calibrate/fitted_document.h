// A platform or framework file with fitted numbers in the place of its own.
#pragma once

#include <string>

#include "calibrate/fit_framework.h"
#include "calibrate/fitted.h"

namespace spillway {

// The base document, its keys in their order, with every fitted number written as { "value", "kind":
// "fitted", "source", "interval", "points" } to five digits, and every fitted curve in its tier's
// "collectives". Measured tables become entries of "operators". Files that it names are named as seen from
// `target`'s folder. The name says which file it is calibrated as. Pairs of numbers stand on one line. Ends
// with a newline. Throws InputError where the base or a table cannot be read.
std::string calibrated_document(const std::string& base, const Fits& fits, const std::string& target);

// The same for a framework file. The base document, its keys in their order, with every figure as { "value",
// "kind": "derived", "source", "interval" } to three digits. Ends with a newline. Throws InputError where the
// base cannot be read.
std::string learned_document(const std::string& base, const FrameworkFit& fit);

}  // namespace spillway
