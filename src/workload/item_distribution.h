// Makes a distribution of items by weight. Private to src/workload.
#pragma once

#include <map>
#include <tuple>

#include "workload/images.h"

namespace spillway {

struct FewerPatches {
  bool operator()(const MediaItem& a, const MediaItem& b) const {
    const auto key = [](const MediaItem& item) {
      return std::tuple(item.patches, item.parts, item.tokens, item.text);
    };
    return key(a) < key(b);
  }
};

// `items` is left out if all of them are images. Contract: some weight is positive, and all items are of one
// modality.
template <class Weight>
PatchDistribution distribution_of(const std::map<MediaItem, Weight, FewerPatches>& weights) {
  Weight total{};
  bool images = true;
  for (const auto& [item, weight] : weights) {
    total += weight;
    images = images && item.modality == Modality::Vision && item.parts == 1 && item.text == 0;
  }
  PatchDistribution distribution;
  Weight running{};
  for (const auto& [item, weight] : weights) {
    running += weight;
    distribution.patches.push_back(item.patches);
    if (!images) distribution.items.push_back(item);
    distribution.cumulative.push_back(static_cast<double>(running) / static_cast<double>(total));
  }
  return distribution;
}

}  // namespace spillway
