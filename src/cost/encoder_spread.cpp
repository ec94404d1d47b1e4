#include "cost/encoder_spread.h"

#include <algorithm>
#include <functional>

namespace spillway {

std::vector<DeviceLoad> spread_images(std::span<const std::uint32_t> image_patches, std::uint32_t devices,
                                      const ImageFlops& flops) {
  std::vector<std::uint32_t> largest_first(image_patches.begin(), image_patches.end());
  std::sort(largest_first.begin(), largest_first.end(), std::greater<>());
  std::vector<DeviceLoad> loads(devices);
  std::vector<Flops> work(devices);
  for (const double patches : largest_first) {
    const auto least = std::min_element(work.begin(), work.end());
    *least += flops.of(patches);
    DeviceLoad& device = loads[static_cast<std::size_t>(least - work.begin())];
    device.tokens += patches;
    device.pairs += patches * patches;
  }
  return loads;
}

}  // namespace spillway
