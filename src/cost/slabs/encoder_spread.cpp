#include "cost/slabs/encoder_spread.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace spillway {
namespace {

void add_item(DeviceImages& device, const MediaItem& item) {
  const double length = static_cast<double>(item.patches) / item.parts, count = item.parts;
  device.patches += item.patches;
  if (device.images.empty() || device.images.back().length != length) device.images.push_back({0, length});
  device.images.back().count += count;
}

// Parts of several items may be as long as each other.
void sort_by_length(std::vector<Sequences>& images) {
  std::ranges::stable_sort(images, std::greater<>(), &Sequences::length);
  std::vector<Sequences> joined;
  for (const Sequences& each : images) {
    if (joined.empty() || joined.back().length != each.length) joined.push_back({0, each.length});
    joined.back().count += each.count;
  }
  images = std::move(joined);
}

}  // namespace

std::vector<DeviceImages> spread_images(std::span<const MediaItem> items, std::uint32_t devices,
                                        const ImageFlops& flops) {
  std::vector<MediaItem> largest_first;
  for (const MediaItem& item : items)
    if (item.modality == flops.modality) largest_first.push_back(item);
  std::ranges::stable_sort(largest_first, std::greater<>(), [](const MediaItem& item) {
    return std::pair(item.patches, item.patches / item.parts);
  });
  std::vector<DeviceImages> loads(devices);
  std::vector<Flops> work(devices);
  for (const MediaItem& item : largest_first) {
    const auto least = std::min_element(work.begin(), work.end());
    *least += flops.of(item);
    add_item(loads[static_cast<std::size_t>(least - work.begin())], item);
  }
  if (std::ranges::any_of(largest_first, [](const MediaItem& item) { return item.parts > 1; }))
    for (DeviceImages& load : loads) sort_by_length(load.images);
  return loads;
}

}  // namespace spillway
