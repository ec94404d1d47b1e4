// What was fitted to measurements, for programs: one document each, ended by a newline.
//   { "schema": "spillway/calibration/1", "of": "platform", "platform": NAME,
//     "fitted": [ { "pointer", "value", "low", "high", "points", "source" } ],
//     "curves": [ { "tier", "operation", "devices", "neighbours", "points": [ [ bytes, seconds ], ... ] } ],
//     "tables": [ { "file", "source" } ], "held_back": [ { "what", "sizes", "mean_absolute",
//     "most_absolute", "bias" } ], "against": [ { "source", "errors": as held_back } ],
//     "undetermined": [ { "pointer", "why" } ], "notes": [ ... ], "document": the platform file }
// "of": "framework" has fitted, undetermined and document, "of": "cases" has fitted and "cases", the errors
// of those that it was fitted to.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "calibrate/fit_framework.h"
#include "calibrate/fitted.h"
#include "evaluate/case_fits.h"
#include "input/experiment/cases.h"
#include "platform/platform.h"
#include "traces/samples/overlap.h"

namespace spillway {

// `document`: the file that results.
std::string fits_json(const Platform& base, const Fits& fits, const std::vector<ErrorsAgainst>& against,
                      const std::string& document);
std::string framework_fit_json(const FrameworkFit& fit, const std::string& document);
std::string case_fits_json(const CaseTable& table, const CaseFits& fits);

// Parameters with value, interval and points; curves with their knots; tables of operators; what the data do
// not determine; errors on measurements held back, and on others (`against`); what was done to the files.
// Parts that are empty are left out.
void write_fits(std::ostream& out, const Platform& base, const Fits& fits,
                const std::vector<ErrorsAgainst>& against);

// Figures of a framework with intervals, and what the run does not say.
void write_framework_fit(std::ostream& out, const FrameworkFit& fit);

// A row for each layer, and one for the whole; times in ms. `source`: of the measurement.
void write_overlap(std::ostream& out, const std::string& source, const OverlapReport& report);

}  // namespace spillway
