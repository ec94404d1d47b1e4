// Reads what becomes of a block's activations between a forward and its backward.
#pragma once

#include <optional>

#include "cost/slabs/offload.h"
#include "cost/slabs/recomputation.h"
#include "json/place.h"

namespace spillway {

// Reads which layers are recomputed, stated in at most one of three ways.
Recomputation read_recomputation(const Fields& block);
// Reads a word for the whole block, or a list of modules.
std::optional<Offload> read_offload(const Place& place);

}  // namespace spillway
