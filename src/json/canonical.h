// JSON values as bytes that are equal where the values are, however their objects are ordered.
#pragma once

#include <string>

#include "json/node.h"

namespace spillway {

// Of a value as readers see it: 1 and 1.0 differ.
std::string canonical(const Node& node);

// Equal for 1 and 1.0, too, where the value is a number.
std::string comparable(const Node& node);

}  // namespace spillway
