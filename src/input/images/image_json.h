// Image sizes from JSON: image_table.h. Private to src/input.
#pragma once

#include <string_view>

#include "base/findings.h"
#include "input/images/image_rows.h"

namespace spillway {

// One document, or more than one line that is an object of its own.
void read_image_json(std::string_view text, ImageRows& rows, Findings& findings);

}  // namespace spillway
