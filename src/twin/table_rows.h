// A table of measured passes in CSV.
#pragma once

#include <string>

#include "twin/trace_rows.h"

namespace spillway {

// Reads the rows. A note says if rows have patches that none of their layers reads.
TraceRows table_rows(const std::string& file, const Experiment& experiment);

}  // namespace spillway
