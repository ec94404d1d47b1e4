// How a transposed input runs beside the pipeline that it feeds, if not as the algebra has it: one value,
// which a schedule states and derivation, planning, pricing and memory take whole.
#pragma once

#include <cstdint>

namespace spillway {

enum class InputPasses {
  Enclosing,  // forwards before the body, backwards behind it
  InGaps,     // planned: as many of either as have room in the body's gaps
  OneEach,    // the first P before the body, one on each rank; the others where they enter it, right before
  Uniform     // microbatch j on rank j mod P, P microbatches ahead of the pipeline; backwards P behind it
};

// Of a trained input; InGaps and Uniform place their own.
enum class InputBackwards {
  BehindBody,  // on the owner's rank, behind its part of the body
  // On the first rank, at which outputs enter the body, right behind the body's backward. An owner sends what
  // was encoded along with the output. Contract: the input is recomputed.
  AtEntry,
  Returned  // of what that rank owns so, too; gradients leave for other owners when a rank's body is over
};

struct InputRule {
  InputPasses passes = InputPasses::Enclosing;
  InputBackwards backwards = InputBackwards::BehindBody;
  // A rank at which outputs arrive begins its body when all outputs have come that are made before a body.
  bool gathered_first = false;
  bool broadcast = false;            // trained parameters, from the first rank, when a step begins
  bool recomputed = false;           // only outputs are kept; a backward computes the rest again
  bool under_communication = false;  // InGaps: also while passes of the body communicate
  bool by_layer = false;  // each layer is a pass of its own, on the owner; else all of them are one
  // A rank encodes so many of its microbatches at once: outputs leave when all of them have been encoded, and
  // backwards begin when all of their gradients have come. Contract: at least 1.
  std::uint32_t batch = 1;
  // Outputs were made in the step before: forwards stand behind the body, for the next step. Contract: the
  // input is frozen, and nothing of it is placed.
  bool prefetched = false;

  friend bool operator==(const InputRule&, const InputRule&) = default;
};

}  // namespace spillway
