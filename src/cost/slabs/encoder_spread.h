// Encoder work of one microbatch over a rank's devices, item by item. An image is never divided, since its
// patches attend to each other; nor is a video or a clip, which a processor makes as one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/quantity.h"
#include "cost/operators/operator_times.h"
#include "workload/media_item.h"

namespace spillway {

// Forward FLOPs of one image of n patches: per_patch n + per_pair n^2. An item of several parts has them in
// each.
struct ImageFlops {
  Flops per_patch;
  Flops per_pair;
  Modality modality = Modality::Vision;  // of the items that the encoder takes

  Flops of(const MediaItem& item) const {
    const double patches = item.patches;
    return per_patch * patches + per_pair * (patches * patches / item.parts);
  }
};

// The items of a microbatch that one device has.
struct DeviceImages {
  double patches = 0;
  std::vector<Sequences> images;  // their parts by size, descending: an image is one part

  friend bool operator==(const DeviceImages&, const DeviceImages&) = default;
};

// Longest processing time first (Graham 1969: at most 4/3 - 1/(3 devices) of the least possible maximum). The
// largest remaining image goes to the device with the least work, the first of several such devices. Returns
// one entry per device. Cost: n log n + n devices.
std::vector<DeviceImages> spread_images(std::span<const MediaItem> items, std::uint32_t devices,
                                        const ImageFlops& flops);

}  // namespace spillway
