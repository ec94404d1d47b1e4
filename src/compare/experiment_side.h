// An experiment as a side of a comparison. Private to src/compare.
#pragma once

#include <string>

#include "compare/side.h"
#include "evaluate/evaluation.h"

namespace spillway {

// `document` as read from `file`; `evaluation` is of it, by the longest path alone.
Side experiment_side(const std::string& file, Node document, Evaluation evaluation);

}  // namespace spillway
