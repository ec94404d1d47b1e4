// What a skeleton says about one rank of a run of woven Sharded regions: the order of its forwards and
// backwards. The data dependencies between ranks are derive's business.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "schedule/schedule.h"

namespace spillway {

enum class Direction : std::uint8_t { Forward, Backward };

// One slot in a rank's order: chunk c of the run (0 is nearest the input), one microbatch.
struct Slot {
  Direction direction;
  std::uint32_t chunk;
  MicrobatchId microbatch;

  friend bool operator==(const Slot&, const Slot&) = default;
};

// P ranks, M microbatches, v chunks per rank. `group` is Megatron's microbatch_group_size_per_vp_stage: how
// many microbatches pass through one chunk before the next chunk gets its turn; it matters only to woven
// 1F1B.
struct RunShape {
  std::uint32_t ranks;
  std::uint32_t microbatches;
  std::uint32_t chunks;
  std::uint32_t group;
};

// The group a run gets when the user names none: P.
std::uint32_t default_group(std::uint32_t ranks);

// What Megatron refuses of a shape (groups outside [P, M], a last group shorter than P), with a group that
// would do. Pointers start at /microbatch_group. Other skeletons take any shape.
std::vector<Violation> check_shape(Skeleton skeleton, const RunShape& shape);

// The order on `rank`: every (chunk, microbatch) once per direction. Contract: check_shape finds nothing.
std::vector<Slot> rank_order(Skeleton skeleton, const RunShape& shape, RankId rank);

// The skeletons themselves, one file each.
std::vector<Slot> one_f_one_b(const RunShape& shape, RankId rank);
std::vector<Slot> interleaved_one_f_one_b(const RunShape& shape, RankId rank);
std::vector<Slot> gpipe(const RunShape& shape, RankId rank);

}  // namespace spillway
