// Paths in documents, so that these can lie anywhere.
#pragma once

#include <string>

#include "json/node.h"

namespace spillway {

// Texts of experiments, platforms, frameworks and jobs that name plain files beside `document`, the file that
// the node was read from, name them wholly; a word, such as the name of a rule, stays.
void make_paths_whole(Node& node, const std::string& document);

}  // namespace spillway
