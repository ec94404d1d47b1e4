// The report as a JSON value, which report_json() writes. Private to src/report.
#pragma once

#include <nlohmann/json.hpp>

#include "evaluate/evaluation.h"

namespace spillway {

// spillway/report/2 (report/step/json.h).
nlohmann::ordered_json report_document(const Evaluation& evaluation);

}  // namespace spillway
