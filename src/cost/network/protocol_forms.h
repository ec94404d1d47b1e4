// Closed forms of NCCL's protocols among devices of one switched tier, if the platform states their constants
// (Protocols, platform/platform.h). N devices, n bytes as in cost/network/collectives.h, B the tier's
// bandwidth between a pair, s the steps of a ring: N-1, or 2(N-1) for an all-reduce.
//
//   launch        = launch share x (latency - latency of a step)
//   ring, small   = launch + s x latency of a step + (s + 1/2) n / (N x small x B)
//   ring, large   = launch + (s + 1) x bulk step   + (s + 1/2) n / (N x B)
//   in switches   = launch + once                  + (1 + 1/N) n / (bandwidth x B)     all-reduce, N > 2
//   all-to-all    = launch + latency of a step + exchange + (N - 1/2)/N n / (exchange small x B), or with
//                   exchange + exchange bulk and all of B
//
// The smallest form of an operation is the result of NCCL's own choice. A minimum of affine forms is never
// shorter for more bytes, a slower link or a longer latency. The half turn: NCCL passes a part on in two
// slices, and the last one overlaps nothing (src/include/collectives.h, ALLGATHER_SLICESTEPS and its
// siblings); likewise an all-to-all's copy to itself. Small and large are LL and Simple (src/graph/tuning.cc;
// both in https://github.com/NVIDIA/nccl @5067397c). docs/accuracy.md and tests/input/protocol_fit_test.cpp
// say how the constants were fitted, and the error of the forms on each sweep that is left out in turn.
// Beyond the 8 devices of the fit the evidence is Extrapolated.
#pragma once

#include <vector>

#include "cost/network/collective_algorithms.h"
#include "cost/network/collective_layout.h"

namespace spillway {

// None if the devices do not lie in one group of the first tier, if that tier states no protocols, or for
// another operation than those above. Contract: at least two devices.
std::vector<ClosedForm> protocol_forms(const Platform& platform, CollectiveOperation operation,
                                       const Devices& devices);

}  // namespace spillway
