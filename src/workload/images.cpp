#include "workload/images.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/error.h"
#include "workload/item_distribution.h"
#include "workload/sides.h"

namespace spillway {
namespace {

bool too_large(ImageSize size, const ResizeRule& rule) {
  return rounded(size, factor_of(rule)).area() > static_cast<double>(rule.max_pixels);
}

std::optional<Sides> by_area(ImageSize size, const ResizeRule& rule) {
  const auto [shorter, longer] = std::minmax(size.width, size.height);
  if (static_cast<double>(longer) / shorter > rule.max_aspect) return std::nullopt;
  const double factor = factor_of(rule);
  const Sides sides = rounded(size, factor);
  if (too_large(size, rule)) return shrunk(size, factor, static_cast<double>(rule.max_pixels));
  if (sides.area() < static_cast<double>(rule.min_pixels))
    return grown(size, factor, static_cast<double>(rule.min_pixels));
  return sides;
}

// Tries columns x rows by ascending number of tiles. Of equally near ones it takes the later if the image has
// more than half of the tiles' pixels.
std::uint32_t tile_count(ImageSize size, const ResizeRule& rule) {
  const double aspect = static_cast<double>(size.width) / size.height;
  std::uint32_t best = 1;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::uint32_t tiles = 1; tiles <= rule.max_tiles; ++tiles) {
    for (std::uint32_t columns = 1; columns <= tiles; ++columns) {
      if (tiles % columns != 0) continue;
      const double distance = std::abs(aspect - static_cast<double>(columns) / (tiles / columns));
      const bool fills = area(size) > 0.5 * rule.side * rule.side * tiles;
      if (distance > nearest || (distance == nearest && !fills)) continue;
      nearest = distance;
      best = tiles;
    }
  }
  return best;
}

Sides in_tiles(ImageSize size, const ResizeRule& rule) {
  const std::uint32_t tiles = tile_count(size, rule);
  return {static_cast<double>(rule.side) * (tiles > 1 ? tiles + 1 : 1), static_cast<double>(rule.side)};
}

// Returns the patches of the unscaled image, with its rim cut off.
double whole_patches(ImageSize size, const ResizeRule& rule) {
  return static_cast<double>(std::uint64_t{size.width / rule.patch} * (size.height / rule.patch));
}

Sides capped(ImageSize size, const ResizeRule& rule) {
  const double patches = whole_patches(size, rule), factor = factor_of(rule);
  const double scale = patches > rule.max_patches ? std::sqrt(rule.max_patches / patches) : 1;
  const auto side = [&](double length) {
    return std::max(factor, std::ceil(std::floor(length * scale) / factor) * factor);
  };
  return {side(size.width), side(size.height)};
}

bool is_at_cap(ImageSize size, const ResizeRule& rule) {
  switch (rule.by) {
    case Resizing::Area:
      return too_large(size, rule);
    case Resizing::Square:
      return false;
    case Resizing::Tiles:
      return tile_count(size, rule) == rule.max_tiles;
    case Resizing::Capped:
      return whole_patches(size, rule) > rule.max_patches;
  }
  throw ContractBreach("unknown rule");
}

// Converts weights per value, counts or shares, into cumulative shares.
MediaItem image_item(ImageSize size, const ResizeRule& rule) {
  const std::optional<ImageSize> fitted = resized(size, rule);
  ensure(fitted.has_value(), "every image size has a resized form");
  const std::uint32_t patches = patch_count(*fitted, rule);
  return {Modality::Vision, patches, 1, patches / (rule.merge * rule.merge), 0};
}

// Shares are printed decimals and their running sums are rounded, so a sum this close to q has reached it.
constexpr double kRounding = 1e-12;

std::uint32_t percentile(const PatchDistribution& distribution, double q) {
  const auto reached = std::find_if(distribution.cumulative.begin(), distribution.cumulative.end(),
                                    [&](double share) { return share + kRounding >= q; });
  return distribution.patches[static_cast<std::size_t>(reached - distribution.cumulative.begin())];
}

// Returns the mean of f(patches).
template <class Function>
double mean_of(const PatchDistribution& distribution, Function f) {
  double mean = 0, before = 0;
  for (std::size_t i = 0; i < distribution.patches.size(); ++i) {
    mean += f(distribution.patches[i]) * (distribution.cumulative[i] - before);
    before = distribution.cumulative[i];
  }
  return mean;
}

}  // namespace

std::optional<ImageSize> resized(ImageSize size, const ResizeRule& rule) {
  if (size.width == 0 || size.height == 0) return std::nullopt;
  std::optional<Sides> sides;
  if (rule.by == Resizing::Area) sides = by_area(size, rule);
  if (rule.by == Resizing::Square) sides = Sides{double(rule.side), double(rule.side)};
  if (rule.by == Resizing::Tiles) sides = in_tiles(size, rule);
  if (rule.by == Resizing::Capped) sides = capped(size, rule);
  if (!sides) return std::nullopt;
  return ImageSize{static_cast<std::uint32_t>(sides->width), static_cast<std::uint32_t>(sides->height)};
}

std::uint32_t patch_count(ImageSize resized, const ResizeRule& rule) {
  return (resized.width / rule.patch) * (resized.height / rule.patch);
}

PatchDistribution patches_of(const std::vector<SizeCount>& sizes, const ResizeRule& rule) {
  std::map<MediaItem, std::uint64_t, FewerPatches> images;
  std::uint64_t total = 0, at_cap = 0, videos = 0;
  for (const auto& [size, count, length] : sizes) {
    const bool video = length.any();
    images[video ? video_item(size, length, rule) : image_item(size, rule)] += count;
    total += count;
    if (video) videos += count;
    if (video ? is_cut_down(size, length, rule) : is_at_cap(size, rule)) at_cap += count;
  }
  ensure(total > 0, "a trace has images");
  PatchDistribution distribution = distribution_of(images);
  distribution.images = total;
  distribution.videos = videos;
  distribution.at_cap_fraction = static_cast<double>(at_cap) / static_cast<double>(total);
  distribution.patches_per_token = rule.merge * rule.merge;
  return distribution;
}

PatchDistribution patches_of(const std::vector<TokenShare>& shares, const ResizeRule& rule) {
  const std::uint32_t per_token = rule.merge * rule.merge;
  std::map<MediaItem, double, FewerPatches> images;
  double total = 0;
  for (const auto& [tokens, share] : shares) {
    if (share <= 0) continue;
    images[{Modality::Vision, tokens * per_token, 1, tokens, 0}] += share;
    total += share;
  }
  ensure(!images.empty() && images.rbegin()->first.patches > 0, "some image has tokens");
  PatchDistribution distribution = distribution_of(images);
  distribution.at_cap_fraction = images.rbegin()->second / total;
  distribution.patches_per_token = per_token;
  return distribution;
}

PatchSummary summary(const PatchDistribution& distribution) {
  const double mean = mean_of(distribution, [](double patches) { return patches; });
  const double variance =
      mean_of(distribution, [&](double patches) { return (patches - mean) * (patches - mean); });
  return {.p1 = percentile(distribution, 0.01),
          .p10 = percentile(distribution, 0.10),
          .p50 = percentile(distribution, 0.50),
          .p90 = percentile(distribution, 0.90),
          .p99 = percentile(distribution, 0.99),
          .max = distribution.patches.back(),
          .mean = mean,
          .cv = std::sqrt(variance) / mean};
}

}  // namespace spillway
