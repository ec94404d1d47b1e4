// `spillway import`: reads a measured trace.
#pragma once

#include <string>
#include <vector>

#include "traces/events/trace.h"

namespace spillway {

struct ImportArguments {
  std::string trace = {};               // file or folder
  std::vector<std::string> steps = {};  // names of steps to keep; none: all
  std::string out = {};                 // file for a compact copy as CSV; empty: none
};

Trace import_trace(const ImportArguments& arguments);

}  // namespace spillway
