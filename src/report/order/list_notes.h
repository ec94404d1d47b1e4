// Notes for the reader of derivation_csv's lists, in sentences. They name the parts of the schedule that are
// not in the lists, the readers that do not take them (PyTorch, an order_file), and the changes that reading
// them back makes.
#pragma once

#include <string>
#include <vector>

#include "derive/derive.h"

namespace spillway {

// `reordered`: the schedule runs microbatches in another order than that in which they are sampled.
std::vector<std::string> list_notes(const Derived& derived, bool reordered);

}  // namespace spillway
