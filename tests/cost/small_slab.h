// The load and the device of slabs in tests: a microbatch of one short sequence on a small platform's device.
#pragma once

#include <array>

#include "cost/operators/operator_times.h"
#include "cost/slabs/slab_time.h"
#include "small_platform.h"

namespace spillway {

inline constexpr std::array<Sequences, 1> kOneSequence = {{{1, 64}}};
inline const SlabLoad kSixtyFour{64, kOneSequence};
inline constexpr Gradients kBothGradients{.weight = true, .input = true};

inline OperatorTimes small_times() {
  return OperatorTimes(small_platform().accelerator);
}

}  // namespace spillway
