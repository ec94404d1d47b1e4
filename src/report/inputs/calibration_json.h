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

#include <string>
#include <vector>

#include "calibrate/fit_framework.h"
#include "calibrate/fitted.h"
#include "evaluate/case_fits.h"
#include "input/experiment/cases.h"
#include "platform/platform.h"

namespace spillway {

// `document`: the file that results.
std::string fits_json(const Platform& base, const Fits& fits, const std::vector<ErrorsAgainst>& against,
                      const std::string& document);
std::string framework_fit_json(const FrameworkFit& fit, const std::string& document);
std::string case_fits_json(const CaseTable& table, const CaseFits& fits);

}  // namespace spillway
