// How the devices of a rank share the images of an encoder with an architecture (EncoderImages).
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "experiment/experiment.h"

namespace spillway {

using ImagesWord = std::pair<std::string_view, EncoderImages>;
inline constexpr std::array<ImagesWord, 3> kEncoderImages{{{"shared", EncoderImages::Shared},
                                                           {"repeated", EncoderImages::Repeated},
                                                           {"split", EncoderImages::Split}}};

bool encodes_images(const Experiment& experiment);

// Returns the assumption that applies if a rank has several devices. It is printed with results that depend
// on it. Empty if each device does what a single one would do.
std::optional<std::string_view> assumption_on_images(const Experiment& experiment);
// Returns true if a rank of some schedule has several devices, or may have them once its modules are solved
// for.
bool has_several_devices(const Experiment& experiment);

}  // namespace spillway
