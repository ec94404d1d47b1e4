// What a rank is doing when an event runs on it: the rows of the picture, the categories of the trace.
#pragma once

#include <cstddef>
#include <string_view>

#include "derive/derive.h"

namespace spillway {

enum class Activity {
  EncoderForward,
  EncoderBackward,
  Forward,
  Backward,  // whole, or the half that computes the input's gradient
  WeightGradient,
  Overlapped,  // a forward and a backward together
  Transfer,
  Reduce,
  Broadcast,
  Bookkeeping
};
inline constexpr std::size_t kActivities = 10;

// In words: "encoder forward", "forward", ...
std::string_view to_string(Activity activity);

// Encoder forwards and backwards are those of stages that hold encoder layers and no others.
Activity activity_of(const Outline& derived, const Event& event);

// Does the event keep its rank from anything else: computing, and transfers that occupy their sender?
bool occupies_rank(const Outline& derived, const Event& event);

}  // namespace spillway
