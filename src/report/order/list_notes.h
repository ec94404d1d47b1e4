// What a reader of the lists of derivation_csv has to know, in sentences: what of the schedule is not in
// them, which of them PyTorch or an order_file does not take, and what becomes of them when they are read
// back.
#pragma once

#include <string>
#include <vector>

#include "derive/derive.h"

namespace spillway {

// `reordered`: the schedule runs microbatches in another order than that in which they are sampled.
std::vector<std::string> list_notes(const Derived& derived, bool reordered);

}  // namespace spillway
