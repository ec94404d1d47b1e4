// An experiment's document so that it can be held against another one, wherever the two lie.
#pragma once

#include <string>

#include "json/node.h"

namespace spillway {

// The platform and the framework stand in it as values, what the experiment sets in them made; paths of all
// other files are whole. It is an experiment still, and says the same. Contract: the document, read from
// `file`, is an experiment.
Node written_out(Node document, const std::string& file);

}  // namespace spillway
