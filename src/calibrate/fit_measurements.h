// Fits a platform to all its measurements.
#pragma once

#include <vector>

#include "calibrate/fitted.h"
#include "calibrate/measurements.h"
#include "platform/platform.h"

namespace spillway {

// Fits messages (fit_messages.h), operators (fit_operators.h), the host (fit_host.h), and computing beside
// communication (fit_overlap.h). Each is fitted to all files together, and left out if no file has it.
Fits fit_measurements(const Platform& base, const std::vector<Measurements>& measurements);

// Compares the platform's own prices with measurements of messages and operators, file by file.
std::vector<ErrorsAgainst> errors_against(const Platform& platform, const std::vector<Measurements>& others);

}  // namespace spillway
