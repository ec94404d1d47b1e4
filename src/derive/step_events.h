// The events of a step as plain values, for held and for streamed orders. Private to src/derive.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/derive.h"

namespace spillway {

// `stage` computes microbatch m, in one replica.
Event computing_event(EventKind kind, const std::vector<Stage>& stages, StageId stage, std::uint32_t m);

// Stage `from` passes microbatch m on to stage `to`.
Event transfer_event(Comm comm, const std::vector<Stage>& stages, StageId from, StageId to, std::uint32_t m);

// Broadcasts the parameters of a transposed input's piece, from its first copy to the others.
Event broadcast_event(const std::vector<Stage>& stages, const std::vector<StageId>& copies);

// Reduces the gradients of a stage and its copies on other ranks, over all replicas.
Event reduce_event(const Reduce& reduce, const std::vector<Stage>& stages, const std::vector<StageId>& copies,
                   std::uint32_t replicas);

}  // namespace spillway
