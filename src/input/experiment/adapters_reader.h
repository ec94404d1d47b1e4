// Reads the low-rank adapters of a block: its keys lora_rank, lora_targets and lora_dropout.
#pragma once

#include "cost/layers/adapters.h"
#include "cost/layers/architecture.h"
#include "json/place.h"

namespace spillway {

// `architecture`: of the block; null if it did not read, and then targets are not held against it. `trained`:
// the block is not frozen.
Adapters read_adapters(const Fields& block, const Architecture* architecture, bool trained);

}  // namespace spillway
