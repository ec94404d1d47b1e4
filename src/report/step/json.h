// The report as JSON: spillway/report/2.
#pragma once

#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// Returns one JSON document in seconds and bytes, ended by a newline. A figure that can vary over draws is a
// number if there is one draw, and { mean, p5, p50, p95, p99, max, ci95 } if there are several, even if they
// are equal. A figure of the first draw alone is always a number. A figure that was not requested, or is not
// known, is null. The same evaluation gives the same bytes.
std::string report_json(const Evaluation& evaluation);

}  // namespace spillway
