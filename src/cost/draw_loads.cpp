#include "cost/draw_loads.h"

#include "base/error.h"

namespace spillway {
namespace {

std::vector<DeviceLoad> spread_draw(const Draw& draw, std::uint32_t members, const ImageFlops& flops) {
  std::vector<DeviceLoad> images;
  for (const auto& replica : draw) {
    for (const MicrobatchLoad& load : replica) {
      const std::vector<DeviceLoad> devices = spread_images(load.image_patches, members, flops);
      images.insert(images.end(), devices.begin(), devices.end());
    }
  }
  return images;
}

}  // namespace

DrawLoads::DrawLoads(const Draw& draw, std::uint32_t members,
                     const std::vector<std::optional<ImageFlops>>& encoders)
    : members_(members),
      microbatches_(draw.empty() ? 0 : static_cast<std::uint32_t>(draw.front().size())),
      replicas_(static_cast<std::uint32_t>(draw.size())) {
  for (const auto& replica : draw) {
    ensure(replica.size() == microbatches_, "every replica of a draw has equally many microbatches");
    for (const MicrobatchLoad& load : replica) {
      tokens_.push_back({static_cast<double>(load.sequence_tokens), static_cast<double>(load.image_tokens)});
    }
  }
  for (const auto& flops : encoders) {
    images_.push_back(flops ? spread_draw(draw, members, *flops) : std::vector<DeviceLoad>());
  }
}

}  // namespace spillway
