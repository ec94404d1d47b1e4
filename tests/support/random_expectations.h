// Draws expectations that no profile would show: unrelated stages, zeros, transfers longer than the whole
// step.
#pragma once

#include "schedule/skeleton.h"
#include "support/property.h"

namespace spillway::testing {

// Mostly draws 0.01 to 2.99; sometimes zero or 1e6.
inline rc::Gen<double> any_amount() {
  return rc::gen::weightedOneOf<double>(
      {{8, rc::gen::map(rc::gen::inRange(1, 300), [](int n) { return n / 100.0; })},
       {2, rc::gen::just(0.0)},
       {1, rc::gen::just(1e6)}});
}

inline Expectations any_expectations(std::uint32_t stages) {
  Expectations expected;
  expected.transfer = Seconds(*any_amount());
  for (std::uint32_t s = 0; s < stages; ++s) {
    StageExpectation stage{Seconds(*any_amount()), Seconds(*any_amount()), Seconds(*any_amount())};
    stage.activations = *any_amount();
    stage.weight_gradient_activations = stage.activations * *rc::gen::inRange(0, 101) / 100.0;
    expected.stages.push_back(stage);
  }
  return expected;
}

// Draws P up to 16 and M up to 64.
inline RunShape any_shape(std::uint32_t chunks) {
  RunShape shape{*rc::gen::inRange<std::uint32_t>(1, 17), *rc::gen::inRange<std::uint32_t>(1, 65), chunks, 1};
  shape.group = shape.ranks;
  if (*rc::gen::arbitrary<bool>()) shape.expected = any_expectations(shape.ranks * chunks);
  return shape;
}

}  // namespace spillway::testing
