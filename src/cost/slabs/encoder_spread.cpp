#include "cost/slabs/encoder_spread.h"

#include <algorithm>
#include <functional>

namespace spillway {
namespace {

void add_image(DeviceImages& device, double patches) {
  device.patches += patches;
  if (device.images.empty() || device.images.back().length != patches) device.images.push_back({0, patches});
  device.images.back().count += 1;
}

}  // namespace

std::vector<DeviceImages> spread_images(std::span<const std::uint32_t> image_patches, std::uint32_t devices,
                                        const ImageFlops& flops) {
  std::vector<std::uint32_t> largest_first(image_patches.begin(), image_patches.end());
  std::sort(largest_first.begin(), largest_first.end(), std::greater<>());
  std::vector<DeviceImages> loads(devices);
  std::vector<Flops> work(devices);
  for (const double patches : largest_first) {
    const auto least = std::min_element(work.begin(), work.end());
    *least += flops.of(patches);
    add_image(loads[static_cast<std::size_t>(least - work.begin())], patches);
  }
  return loads;
}

}  // namespace spillway
