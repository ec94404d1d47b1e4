// Muon's work beyond Adam's (parallel/muon_num_ns_steps), once a step: it makes the momentum of every matrix
// of a layer orthogonal by Newton-Schulz steps. A step on an m x n matrix X, m <= n, is three products in
// BF16: X X^T, that product's square, and the sum of both times X. With tensor parallelism each device takes
// its part of a matrix for a whole one (muon_tp_mode blockwise). Devices with the same parameters share out
// whole matrices from ZeRO-1 on; the one with most of them has at least the mean, and at least the largest
// matrix. Source: Keller Jordan et al., Muon (2024); Megatron-LM,
// megatron/core/optimizer/emerging_optimizers.py and layer_wise_optimizer.py. Test:
// tests/cost/orthogonalization_test.cpp.
#pragma once

#include <cstdint>

#include "base/id.h"
#include "base/quantity.h"

namespace spillway {

struct StageSlabs;

// Returns the time on the device that takes longest. `holders`: the pipeline ranks that hold the stage's
// layers. Zero for Adam.
Seconds orthogonalization(const StageSlabs& stages, StageId stage, std::uint32_t holders);

}  // namespace spillway
