// How a transposed input runs beside the pipeline that it feeds, where that is not as the algebra has it.
#pragma once

#include <cstdint>

namespace spillway {

enum class InputPasses {
  Enclosing,  // forwards before the body, backwards behind it
  InGaps,     // planned: as many of either as have room in the body's gaps (optimize/input_gaps.h)
  OneEach,    // the first P before the body, one on each rank; the others where they enter it, right before
  Uniform     // microbatch j on rank j mod P, P microbatches ahead of the pipeline; backwards P behind it
};

// Of a trained input; InGaps and Uniform place their own.
enum class InputBackwards {
  BehindBody,  // on the owner's rank, behind its part of the body
  AtEntry,     // on the first rank, at which outputs enter the body, right behind the body's backward
  Returned     // of what that rank owns so, too; other owners have their gradients when its body is over
};

struct InputRule {
  InputPasses passes = InputPasses::Enclosing;
  InputBackwards backwards = InputBackwards::BehindBody;
  bool gathered_first = false;       // the pipeline begins when all has come that is encoded before it
  bool broadcast = false;            // trained parameters, from the first rank, when a step begins
  bool recomputed = false;           // only outputs are kept; a backward computes the rest again
  bool under_communication = false;  // InGaps: also while passes of the body communicate
  bool by_layer = false;             // each layer is a pass of its own; else all of them are one
  std::uint32_t batch = 1;           // a rank encodes so many of its microbatches at once
  bool prefetched = false;           // of the step before (DeriveOptions::input_prefetched)

  friend bool operator==(const InputRule&, const InputRule&) = default;
};

}  // namespace spillway
