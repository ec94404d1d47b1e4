// Samples computed elsewhere than where they were drawn: moved among data-parallel replicas, and among the
// microbatches of one. Which work there is does not change, only where it is done.
//
//   drawn    replica 0  [9 1] [2 2]     balanced microbatch by microbatch   replica 0  [9]   [2 2]
//            replica 1  [3 3] [2 2]                                         replica 1  [1 3 3] [2 2]
//
// A sample's unit is the sample where microbatches are samples (Packing::Unpacked); where they are sequences
// of one length, the sequence. An encoder's is the image. Weights are patches and tokens: what both take is
// nearly proportional to them. Equal units stay where they were drawn.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/workload.h"

namespace spillway {

// Image patches that a replica encodes for others, and that others encode for it.
struct SeamTraffic {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;

  std::uint64_t busier() const { return sent > received ? sent : received; }
  friend bool operator==(const SeamTraffic&, const SeamTraffic&) = default;
};

struct Regrouped {
  // image_patches are what the encoder has there; all else is what the backbone has there.
  Draw draw;
  std::vector<std::vector<SeamTraffic>> traffic;  // [replica][microbatch]; empty where none is exchanged
};

// Each microbatch by itself, over every `together` neighbouring replicas: images spread so that the replica
// with most patches has as few as may be, largest first; samples likewise by their tokens. Of ways that are
// as even one that evens out what replicas had in microbatches before. What makes no replica's step less
// stays. Text alone is not moved. Contract: `together` divides the replicas.
Regrouped balanced_by_phase(const Draw& draw, Packing packing, std::uint32_t together);

enum class Deferral : std::uint8_t { None, Pairwise };

// Samples of `together` neighbouring replicas dealt out anew, largest first by patches: first to replicas,
// then to the microbatches of each, as many to each as it had, always to the one with fewest patches, of
// equals with fewest tokens. Pairwise: then, the microbatch with most tokens of a replica puts off samples to
// the one with fewest, the second to the second, and so on, until the two are even or nothing small enough
// is left: they are encoded where they were dealt and pass the backbone in the other one, which comes right
// behind. What gains nothing stays. Contract: `together` divides the replicas.
Regrouped stratified(const Draw& draw, Packing packing, std::uint32_t together, Deferral deferral);

// Images of `together` microbatches of a replica, `stride` apart, as one batch: spread over them as evenly
// as they can be, since all of them are encoded at once.
Regrouped pooled(const Draw& draw, std::uint32_t together, std::uint32_t stride);

// Images of the whole step of `together` neighbouring replicas, spread over their `ranks` ranks each as
// evenly as they can be, largest first. Rank j of a replica encodes its microbatches m with m mod ranks = j,
// so what it gets is spread over those. Samples stay where they are for the backbone; images of fewer
// microbatches than ranks are spread over as many ranks. What gains nothing stays. Contract: `together`
// divides the replicas.
Regrouped spread(const Draw& draw, std::uint32_t together, std::uint32_t ranks);

}  // namespace spillway
