// A platform fitted to all that was measured of it.
#pragma once

#include <vector>

#include "calibrate/fitted.h"
#include "calibrate/measurements.h"
#include "platform/platform.h"

namespace spillway {

// Messages (fit_messages.h), operators (fit_operators.h), the host (fit_host.h), and computing beside
// communication (fit_overlap.h): each of these from all files together, and not mentioned where none has it.
Fits fit_measurements(const Platform& base, const std::vector<Measurements>& measurements);

// How far the platform's own prices are off on measurements of messages and operators, file by file.
std::vector<ErrorsAgainst> errors_against(const Platform& platform, const std::vector<Measurements>& others);

}  // namespace spillway
