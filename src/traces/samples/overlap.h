// Measures how much is hidden when one device runs a forward and a backward beside each other, from the
// intervals of the kernels.
//
// Ranges whose names end in (F) belong to the forward, (B) and (W) to the backward. A kernel belongs to the
// range that launched it (launched_kernels.h). Ranges come layer by layer, and a repeated name begins a new
// layer.
//
//   stream 7    [ F attn ][ B mlp ][ W mlp ][ F mlp ][    B attn    ][W]     computing
//   stream 27  [ B combine ][ F dispatch ][ B dispatch ][  F combine  ]      communicating
//
// Times are unions: the time in which at least one such kernel runs. A layer's forward and backward slow each
// other down while they are measured. A factor relative to passes measured alone is therefore larger.
#pragma once

#include <vector>

#include "base/quantity.h"
#include "traces/files/note.h"
#include "traces/samples/launched_kernels.h"

namespace spillway {

struct Overlap {
  Seconds forward;   // some kernel of the forward runs
  Seconds backward;  // some kernel of the backward runs
  Seconds together;  // some kernel of either runs
  Seconds computing;
  Seconds communicating;
  Seconds span;  // from the first start to the last end

  // The time of both beside each other, relative to the time of one after the other at the same speed. It is
  // 1 if nothing is hidden.
  double factor() const { return together / (forward + backward); }
  // The share of communication that runs beside computing.
  double hidden() const { return (computing + communicating - together) / communicating; }
};

// The same kernel (range, name, grid, index among equal ones) in several layers: its time without
// communication beside it, and with communication beside it all the time.
struct KernelPair {
  Seconds alone;  // means
  Seconds beside;
  std::size_t alone_count;
  std::size_t beside_count;
};

struct OverlapReport {
  // One overlap for each layer, from its own kernels. Neighbouring layers overlap, so the sum exceeds the
  // whole.
  std::vector<Overlap> layers;
  Overlap whole;
  std::vector<KernelPair> pairs;  // computing kernels, by range, name, grid and place
  std::vector<Note> notes;
};

// Returns true if a range belongs to a forward or a backward.
bool has_passes(const LaunchedKernels& run);

// Throws InputError if no range belongs to a forward, or none to a backward.
OverlapReport overlap_of(const LaunchedKernels& run);

}  // namespace spillway
