// From a file or folder to Samples, whatever its format: looked at, never told.
#pragma once

#include <string>

#include "measured/samples/samples.h"

namespace spillway {

// Formats and how they are told apart: sample_formats.h, operator_csv.h. Throws InputError, file and line
// named, where the format is none of ours or the file holds no measurement.
Samples read_samples(const std::string& path);

}  // namespace spillway
