// An experiment's document in a form that can be compared with one from another folder.
#pragma once

#include <string>

#include "json/node.h"

namespace spillway {

// Replaces the names of the platform and the framework by their values, with the experiment's settings
// applied. Makes the paths of all other files absolute. The result is an equivalent experiment. Contract: the
// document, read from `file`, is an experiment.
Node written_out(Node document, const std::string& file);

}  // namespace spillway
