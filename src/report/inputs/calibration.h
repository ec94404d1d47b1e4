// The output of `spillway calibrate`. For programs it is one JSON document, ended by a newline:
//   { "schema": "spillway/calibration/1", "of": "platform", "platform": NAME,
//     "fitted": [ { "pointer", "value", "low", "high", "points", "source" } ],
//     "curves": [ { "tier", "operation", "devices", "neighbours", "points": [ [ bytes, seconds ], ... ] } ],
//     "tables": [ { "file", "source" } ], "held_back": [ { "what", "sizes", "mean_absolute",
//     "most_absolute", "bias" } ], "against": [ { "source", "errors": as held_back } ],
//     "undetermined": [ { "pointer", "why" } ], "notes": [ ... ], "document": the platform file }
// With "of": "framework" it has fitted, undetermined and document. With "of": "cases" it has name, fitted
// and "cases", the errors of the cases that the fit used.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "calibrate/fit_framework.h"
#include "calibrate/fitted.h"
#include "evaluate/run_cases.h"
#include "input/experiment/cases.h"
#include "platform/platform.h"
#include "traces/samples/overlap.h"

namespace spillway {

// `document` is the resulting platform or framework file.
std::string fits_json(const Platform& base, const Fits& fits, const std::vector<ErrorsAgainst>& against,
                      const std::string& document);
std::string framework_fit_json(const FrameworkFit& fit, const std::string& document);
std::string case_fits_json(const CaseTable& table, const CaseFits& fits);

// Writes the fit of a platform for people: parameters with value, interval and number of points, curves with
// their knots, and tables of operators. Then it lists parameters that the data do not determine, errors on
// held-back measurements and on others (`against`), and notes on the files. Empty parts are left out.
void write_fits(std::ostream& out, const Platform& base, const Fits& fits,
                const std::vector<ErrorsAgainst>& against);

// Writes the figures of a framework with intervals, and those that the run does not determine.
void write_framework_fit(std::ostream& out, const FrameworkFit& fit);

// Writes the time that a forward and a backward hide of each other: a row for each layer and one for the
// whole, in ms. `source` is the source of the measurement.
void write_overlap(std::ostream& out, const std::string& source, const OverlapReport& report);

}  // namespace spillway
