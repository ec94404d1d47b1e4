// From a file or folder to Samples, whatever its format: looked at, never told.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "traces/samples/samples.h"

namespace spillway {

// Formats and how they are told apart: sample_formats.h, operator_csv.h. Throws InputError, file and line
// named, where the format is none of ours or the file holds no measurement. `given` says of messages what
// the file does not.
Samples read_samples(const std::string& path, const TimedGroup& given = {});

// From its name, or a program's: "all-reduce", "all_gather_perf", "alltoall".
std::optional<CollectiveOperation> operation_named(std::string_view text);

}  // namespace spillway
