// The machine-readable report: spillway/report/2.
#pragma once

#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// One JSON document, seconds and bytes, ended by a newline. Figures that draws can touch are numbers of one
// draw, and { mean, p5, p50, p95, p99, max, ci95 } of several, whatever their values; what is said of the first
// draw alone is a number. What was not asked for, or is not known, is null. Same evaluation, same bytes.
std::string report_json(const Evaluation& evaluation);

}  // namespace spillway
