// How microbatches of a block with given durations differ. Private to src/input.
#pragma once

#include <optional>
#include <vector>

#include "cost/given.h"
#include "derive/derive.h"
#include "json/place.h"

namespace spillway {

// As in BlockProfile.
struct Work {
  std::vector<std::vector<double>> forward;
  std::vector<std::vector<double>> backward;
  MeasuredWork measured;
  std::optional<ImageWork> images;
};

// What the block, an object, says of it. `pipeline` is absent where it could not be read.
Work read_work(const Fields& block, const std::optional<Pipeline>& pipeline);

// A step is measured in all blocks at once: those that have measured work have it of the same ones. Pointers
// are those of an experiment that is the document.
void check_measured_together(const Fields& experiment, const GivenCosts& costs);

}  // namespace spillway
