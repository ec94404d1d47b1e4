// The causes of a rank's idle time, in the order of the reports.
#pragma once

#include <array>

#include "timing/attribution.h"

namespace spillway {

struct BubbleCause {
  const char* name;
  Seconds BubbleCauses::*time;
};
inline constexpr std::array<BubbleCause, 7> kBubbleCauses = {{{"fill", &BubbleCauses::fill},
                                                              {"input", &BubbleCauses::activations},
                                                              {"gradient", &BubbleCauses::gradients},
                                                              {"replicas", &BubbleCauses::replicas},
                                                              {"sending", &BubbleCauses::sending},
                                                              {"drain", &BubbleCauses::drain},
                                                              {"plan", &BubbleCauses::plan}}};

}  // namespace spillway
