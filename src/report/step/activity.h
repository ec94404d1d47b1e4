// The activity of a rank while an event runs on it. Pictures show activities as letters, traces as
// categories.
#pragma once

#include <cstddef>
#include <string_view>

#include "derive/derive.h"

namespace spillway {

enum class Activity {
  EncoderForward,
  EncoderBackward,
  Forward,
  Backward,  // the whole backward, or the half that computes the input's gradient
  WeightGradient,
  Overlapped,  // a forward and a backward run together
  Transfer,
  Reduce,
  Broadcast,
  Bookkeeping
};
inline constexpr std::size_t kActivities = 10;

// Returns the words for an activity: "encoder forward", "forward", ...
std::string_view to_string(Activity activity);

// Returns the event's activity. A pass is an encoder forward or backward if its stage holds encoder layers
// only.
Activity activity_of(const Outline& derived, const Event& event);

}  // namespace spillway
