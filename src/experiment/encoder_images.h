// What the devices of a rank do with the images of an encoder that has an architecture (EncoderImages).
#pragma once

#include <string_view>

#include "experiment/experiment.h"

namespace spillway {

bool encodes_images(const Experiment& experiment);

// Are they shared out, wherever a rank has several devices?
bool shares_images(const Experiment& experiment);
// Has a rank of some schedule several devices, or may it have when its modules are solved for?
bool has_several_devices(const Experiment& experiment);

// Printed with what rests on it.
inline constexpr std::string_view kImagesAreShared =
    "every device of a rank holds its encoder whole and encodes a share of a microbatch's images; where "
    "every device encodes all of them, as towers from Hugging Face do in front of a Megatron model, "
    "/parallel/images is repeated; an encoder split by tensor parallelism, whose collectives come on top, "
    "is not modelled";

}  // namespace spillway
