// Sizes for people: four significant digits and a unit, of powers of 1000.
#pragma once

#include <string>

#include "memory/peak_memory.h"

namespace spillway {

// "71.31 GB", "512 B".
std::string bytes_text(Bytes bytes);

// "parameters 20.1 GB, gradients 40.2 GB, activations 11 GB": the non-zero parts, in this order.
std::string parts_text(const MemoryParts& parts);

}  // namespace spillway
