// JSON values as canonical bytes: equal values give equal bytes, whatever the order of members.
#pragma once

#include <string>

#include "json/node.h"

namespace spillway {

// 1 and 1.0 differ, as they do for readers.
std::string canonical(const Node& node);

// 1 and 1.0 are equal if the whole value is a number.
std::string comparable(const Node& node);

}  // namespace spillway
