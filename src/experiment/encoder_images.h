// What the devices of a rank do with the images of an encoder that has an architecture (EncoderImages).
#pragma once

#include <optional>
#include <string_view>

#include "experiment/experiment.h"

namespace spillway {

bool encodes_images(const Experiment& experiment);

// What is assumed wherever a rank has several devices, printed with what rests on it; nothing where each of
// them does what one alone would.
std::optional<std::string_view> assumption_on_images(const Experiment& experiment);
// Has a rank of some schedule several devices, or may it have when its modules are solved for?
bool has_several_devices(const Experiment& experiment);

}  // namespace spillway
