// How a transposed input runs beside the pipeline that it feeds, where that is not as the algebra has it.
#pragma once

namespace spillway {

enum class InputPasses {
  Enclosing,  // forwards before the body, backwards behind it
  InGaps      // planned: as many of either as have room in the body's gaps, from the second P microbatches on
};

struct InputRule {
  InputPasses passes = InputPasses::Enclosing;
  bool gathered_first = false;  // the pipeline begins when all has come that is encoded before it
  bool recomputed = false;      // only outputs are kept; a backward computes the rest again

  friend bool operator==(const InputRule&, const InputRule&) = default;
};

}  // namespace spillway
