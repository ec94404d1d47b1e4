// A platform fitted to measurements, for people.
#pragma once

#include <ostream>
#include <vector>

#include "calibrate/fit_framework.h"
#include "calibrate/fitted.h"

namespace spillway {

// Parameters with value, interval and points; curves with their knots; tables of operators; what the data do
// not determine; errors on measurements held back, and on others (`against`); what was done to the files.
// Parts that are empty are left out.
void write_fits(std::ostream& out, const Platform& base, const Fits& fits,
                const std::vector<ErrorsAgainst>& against);

// Figures of a framework with intervals, and what the run does not say.
void write_framework_fit(std::ostream& out, const FrameworkFit& fit);

}  // namespace spillway
