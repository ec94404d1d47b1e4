// How a transposed input runs beside the pipeline that it feeds, if not by the algebra's default. The rule is
// one value: a schedule states it, and derivation, planning, pricing and memory take it whole.
#pragma once

#include <cstdint>

namespace spillway {

enum class InputPasses {
  Enclosing,  // forwards before the body, backwards after it
  InGaps,     // planned: as many of both as fit into the body's gaps
  OneEach,    // the first P before the body, one per rank; the others right before they enter it
  Uniform     // microbatch j on rank j mod P, P microbatches ahead of the pipeline; backwards P after it
};

// Where the backwards of a trained input run; InGaps and Uniform place their own.
enum class InputBackwards {
  BehindBody,  // on the owner's rank, after its part of the body
  // On the first rank, where outputs enter the body, right after the body's backward. An owner sends the
  // encoder's input along with its output. Contract: the input is recomputed.
  AtEntry,
  Returned  // the first rank's own microbatches as AtEntry; gradients go to other owners when a rank's body
            // is over
};

struct InputRule {
  InputPasses passes = InputPasses::Enclosing;
  InputBackwards backwards = InputBackwards::BehindBody;
  // A rank that receives outputs begins its body only when all outputs made before a body have arrived.
  bool gathered_first = false;
  bool broadcast = false;            // the first rank broadcasts trained parameters when a step begins
  bool recomputed = false;           // only outputs are kept; a backward recomputes the rest
  bool under_communication = false;  // InGaps: also while passes of the body communicate
  bool by_layer = false;             // each layer is its own pass, on the owner; else one pass has all layers
  // A rank encodes this many of its microbatches at once. Their outputs leave when all are encoded, and their
  // backwards begin when all gradients have arrived. Contract: at least 1.
  std::uint32_t batch = 1;
  // The previous step made the outputs: forwards stand after the body, for the next step. Contract: the input
  // is frozen, and no pass of it is placed.
  bool prefetched = false;

  friend bool operator==(const InputRule&, const InputRule&) = default;
};

}  // namespace spillway
