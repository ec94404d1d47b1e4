// Reads a layout from a short text. Private to src/ask.
#pragma once

#include <string>

#include "ask/asked_layout.h"

namespace spillway {

// The form of asked_layout.h. Throws InputError with every violation of the text.
AskedLayout layout_of_text(const PlanJob& job, const std::string& text);

}  // namespace spillway
