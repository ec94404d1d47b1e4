// Encoder work of one microbatch over a rank's devices, item by item. An image is never divided, since its
// patches attend to each other; nor is a video or a clip, which a processor makes as one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
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

// Values by the images of a device. Devices rarely have more than one or two images, so most devices of a
// draw have the same images as another.
template <class Value>
class ByImages {
 public:
  // Return make()'s result for these images; make() is called the first time only. The reference stays valid.
  template <class Make>
  const Value& of(const DeviceImages& device, Make make) {
    const auto known = values_.find(device.images);
    if (known != values_.end()) return known->second;
    return values_.emplace(device.images, make()).first->second;
  }

 private:
  struct Before {
    bool operator()(const std::vector<Sequences>& a, const std::vector<Sequences>& b) const {
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                          [](const Sequences& x, const Sequences& y) {
                                            return std::tie(x.length, x.count) < std::tie(y.length, y.count);
                                          });
    }
  };
  std::map<std::vector<Sequences>, Value, Before> values_;
};

}  // namespace spillway
