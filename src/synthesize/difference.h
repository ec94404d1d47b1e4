// What a found order does differently from the named one that it began with, in numbers and words. Private to
// src/synthesize.
#pragma once

#include <cstdint>
#include <string>

#include "experiment/experiment.h"

namespace spillway {

struct OrderDifference {
  std::uint32_t owners = 0;  // encodes that another rank runs
  // Passes of encodes inside the pipeline: behind a rank's first pass of it, and before its last.
  std::uint32_t encodes_inside = 0, backwards_inside = 0;
  std::uint32_t named_encodes_inside = 0, named_backwards_inside = 0;
  // Passes of the pipeline with another pass before them on their rank: in all, and weight gradients alone.
  std::uint32_t moved = 0, moved_weights = 0;
  // Passes of the pipeline that have to move, at the fewest, to turn the named order of each rank into the
  // found one: all but a longest part of them whose order stayed.
  std::uint32_t changed_place = 0;
  std::uint32_t passes = 0;  // of the pipeline

  friend bool operator==(const OrderDifference&, const OrderDifference&) = default;
};

// Contract: both are listed schedules of one placement (listed_start.h).
OrderDifference difference(const ScheduleSpec& named, const ScheduleSpec& found);

// "7 of 32 encodes run on other ranks; ..."; "nothing" if the two are equal.
std::string difference_text(const OrderDifference& difference, std::uint32_t encodes);

}  // namespace spillway
