// Encoder work of one microbatch over a rank's devices, image by image. An image is never divided, since its
// patches attend to each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/quantity.h"
#include "cost/operators/operator_times.h"

namespace spillway {

// Forward FLOPs of one image of n patches: per_patch n + per_pair n^2.
struct ImageFlops {
  Flops per_patch;
  Flops per_pair;

  Flops of(double patches) const { return per_patch * patches + per_pair * (patches * patches); }
};

// The images of a microbatch that one device has.
struct DeviceImages {
  double patches = 0;
  std::vector<Sequences> images;  // by size, descending

  friend bool operator==(const DeviceImages&, const DeviceImages&) = default;
};

// Longest processing time first (Graham 1969: at most 4/3 - 1/(3 devices) of the least possible maximum). The
// largest remaining image goes to the device with the least work, the first of several such devices. Returns
// one entry per device. Cost: n log n + n devices.
std::vector<DeviceImages> spread_images(std::span<const std::uint32_t> image_patches, std::uint32_t devices,
                                        const ImageFlops& flops);

}  // namespace spillway
