// How much of a forward and a backward that one device runs beside each other hides, from the kernels' own
// intervals.
//
// Ranges whose names end in (F) belong to the forward, (B) and (W) to the backward; kernels belong where they
// were launched (launched_kernels.h). Ranges come layer by layer: a new layer begins where a name comes
// again.
//
//   stream 7    [ F attn ][ B mlp ][ W mlp ][ F mlp ][    B attn    ][W]     computing
//   stream 27  [ B combine ][ F dispatch ][ B dispatch ][  F combine  ]      communicating
//
// Times are unions: how long at least one such kernel runs. A layer's forward and backward were measured
// beside each other, slowed down by each other, and not alone: a factor against passes measured alone is
// larger.
#pragma once

#include <vector>

#include "base/quantity.h"
#include "traces/files/note.h"
#include "traces/samples/launched_kernels.h"

namespace spillway {

struct Overlap {
  Seconds forward;   // some kernel of the forward runs
  Seconds backward;  // of the backward
  Seconds together;  // of either
  Seconds computing;
  Seconds communicating;
  Seconds span;  // from the first start to the last end

  // What both take beside each other, of what they would take one after the other, each as fast as it was: of
  // 1 for nothing hidden.
  double factor() const { return together / (forward + backward); }
  // The share of communication that runs beside computing.
  double hidden() const { return (computing + communicating - together) / communicating; }
};

// The same kernel (range, name, grid, place among its like) of several layers: how long it takes where no
// communication runs beside it, and where it does all the time.
struct KernelPair {
  Seconds alone;  // means
  Seconds beside;
  std::size_t alone_count;
  std::size_t beside_count;
};

struct OverlapReport {
  // Of each layer's own kernels. Neighbouring layers overlap too, so these add up to more than the whole.
  std::vector<Overlap> layers;
  Overlap whole;
  std::vector<KernelPair> pairs;  // of computing kernels, by range, name, grid and place
  std::vector<Note> notes;
};

// Whether a range is of a forward or a backward.
bool has_passes(const LaunchedKernels& run);

// Throws InputError where no range is of a forward, or none of a backward.
OverlapReport overlap_of(const LaunchedKernels& run);

}  // namespace spillway
