// Makes paths in documents absolute, so that documents can be anywhere.
#pragma once

#include <string>

#include "json/node.h"

namespace spillway {

// Makes texts absolute that name plain files, in experiments, platforms, frameworks and jobs. They are
// relative to `document`, the file from which the node was read. Words, such as the name of a rule, stay.
void make_paths_whole(Node& node, const std::string& document);

}  // namespace spillway
