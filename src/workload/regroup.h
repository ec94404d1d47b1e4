// Computes samples elsewhere than where they were drawn: it moves them among data-parallel replicas and among
// the microbatches of a replica. The work does not change, only its place.
//
//   drawn    replica 0  [9 1] [2 2]     balanced microbatch by microbatch   replica 0  [9]   [2 2]
//            replica 1  [3 3] [2 2]                                         replica 1  [1 3 3] [2 2]
//
// The unit that moves is the sample if microbatches consist of samples (Packing::Unpacked), and otherwise the
// sequence, whose length is fixed; its documents go with it. For an encoder it is the image. Weights are
// patches and tokens, to which the times of encoder and backbone are nearly proportional. Equal units stay
// where they were drawn.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/workload.h"

namespace spillway {

// Image patches that a replica encodes for other replicas (sent), and that others encode for it (received).
struct SeamTraffic {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;

  std::uint64_t busier() const { return sent > received ? sent : received; }
  friend bool operator==(const SeamTraffic&, const SeamTraffic&) = default;
};

struct Regrouped {
  // media are those that the encoder computes there. All other members describe the backbone's work
  // there.
  Draw draw;
  std::vector<std::vector<SeamTraffic>> traffic;  // [replica][microbatch]; empty if nothing is exchanged
};

// Balances each microbatch by itself over every `together` neighbouring replicas. Images are spread, largest
// first, so that the replica with most patches has as few as possible; samples likewise by their tokens. Of
// equally even assignments it takes one that evens out the replicas' earlier microbatches. Units stay if
// moving them makes no replica's step shorter. Text alone does not move. Contract: `together` divides the
// replicas.
Regrouped balanced_by_phase(const Draw& draw, Packing packing, std::uint32_t together);

enum class Deferral : std::uint8_t { None, Pairwise };

// Redistributes the samples of `together` neighbouring replicas, largest first by patches: first to replicas,
// then to the microbatches of each. Each microbatch keeps its number of samples. A sample goes to the one
// with the fewest patches; ties go to the one with the fewest tokens. Pairwise: the microbatch of a replica
// with the most tokens then defers samples to the one with the fewest, the second to the second-fewest, and
// so on. A pair ends when it is even or no sample is small enough. A deferred sample is encoded in its own
// microbatch and passes the backbone in the other one, which follows directly. Samples stay if moving gains
// nothing. Contract: `together` divides the replicas.
Regrouped stratified(const Draw& draw, Packing packing, std::uint32_t together, Deferral deferral);

// Treats the images of `together` microbatches of a replica, `stride` apart, as one batch. Since all of them
// are encoded at once, they are spread over these microbatches as evenly as possible.
Regrouped pooled(const Draw& draw, std::uint32_t together, std::uint32_t stride);

// Spreads the images of the whole step of `together` neighbouring replicas over their `ranks` ranks each, as
// evenly as possible, largest first. Rank j of a replica encodes its microbatches m with m mod ranks = j, so
// a rank's images are spread over those. For the backbone, samples stay where they are. If there are fewer
// microbatches than ranks, images are spread over as many ranks as microbatches. Images stay if moving gains
// nothing. Contract: `together` divides the replicas.
Regrouped spread(const Draw& draw, std::uint32_t together, std::uint32_t ranks);

}  // namespace spillway
