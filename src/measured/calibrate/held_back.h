// Private to src/measured.
#pragma once

#include <span>
#include <string>

#include "measured/calibrate/fitted.h"

namespace spillway {

// Of relative errors, signs kept. Contract: at least one.
HeldBackError held_back_error(std::string what, std::span<const double> errors);

}  // namespace spillway
