// The machine-readable report: spillway/report/1.
#pragma once

#include <string>

#include "sweep/evaluate.h"

namespace spillway {

// One JSON document, seconds and bytes, ended by a newline. A figure that varies over the draws becomes
// { mean, p5, p50, p95, p99, ci95 }; one that is the same in all of them stays a number. What was not asked
// for is null. Same evaluation, same bytes.
std::string report_json(const Evaluation& evaluation);

}  // namespace spillway
