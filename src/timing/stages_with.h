// Which stages hold layers of a role. Private to src/timing.
#pragma once

#include <vector>

#include "derive/derive.h"

namespace spillway {

// By stage: does it hold a layer of such a block?
std::vector<bool> stages_with(const Derived& derived, Role role);

}  // namespace spillway
