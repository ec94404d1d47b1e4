// Reads a file or folder as Samples. Its content decides the format.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "traces/samples/samples.h"

namespace spillway {

// sample_formats.h and operator_csv.h describe how formats are recognized. Throws InputError, with file and
// line, if the format is unknown or the file holds no measurement. `given` supplies what a file of messages
// does not state.
Samples read_samples(const std::string& path, const TimedGroup& given = {});

// Reads an operation from its name, or a program's: "all-reduce", "all_gather_perf", "alltoall".
std::optional<CollectiveOperation> operation_named(std::string_view text);

}  // namespace spillway
