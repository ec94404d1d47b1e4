// What was stated or fitted for the machine that an experiment names, and stays where another one is put in
// its place.
#pragma once

#include <vector>

#include "base/warning.h"
#include "json/node.h"

namespace spillway {

// `written` as its file has it, `document` with settings and the values of a sweep's axes in place. Empty
// where the platform is as written, or what was made for it is not.
//   fit-carried-along         a fit holds the step at a time measured on the other machine, whatever this
//                             one is
//   efficiency-carried-along  a block's efficiency or fixed time is taken in place of what the new platform
//                             measures
std::vector<Warning> carried_along(const Node& written, const Node& document);

}  // namespace spillway
