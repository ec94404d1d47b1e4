#include "cost/draw_loads.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/error.h"

namespace spillway {
namespace {

std::vector<DeviceImages> spread_draw(const Draw& draw, std::uint32_t members, std::uint32_t sharers,
                                      const ImageFlops& flops) {
  std::vector<DeviceImages> images;
  for (const auto& replica : draw) {
    for (const MicrobatchLoad& load : replica) {
      const std::vector<DeviceImages> shares = spread_images(load.image_patches, sharers, flops);
      for (std::uint32_t member = 0; member < members; ++member) images.push_back(shares[member % sharers]);
    }
  }
  return images;
}

}  // namespace

DrawLoads::DrawLoads(const Draw& draw, std::uint32_t members, std::uint32_t sharers,
                     const std::vector<std::optional<ImageFlops>>& encoders)
    : members_(members),
      sharers_(sharers),
      microbatches_(draw.empty() ? 0 : static_cast<std::uint32_t>(draw.front().size())),
      replicas_(static_cast<std::uint32_t>(draw.size())),
      tally_(spillway::tally(draw)) {
  std::map<std::pair<double, double>, std::uint32_t> known;
  for (const auto& replica : draw) {
    ensure(replica.size() == microbatches_, "every replica of a draw has equally many microbatches");
    for (const MicrobatchLoad& load : replica) {
      const TokenLoad tokens{static_cast<double>(load.sequence_tokens), static_cast<double>(load.sequences)};
      const auto [at, is_new] =
          known.try_emplace({tokens.sequence, tokens.sequences}, static_cast<std::uint32_t>(kinds_.size()));
      if (is_new) kinds_.push_back(tokens);
      kind_of_.push_back(at->second);
      image_tokens_.push_back(load.image_tokens);
    }
  }
  for (const auto& flops : encoders) {
    images_.push_back(flops ? spread_draw(draw, members, sharers, *flops) : std::vector<DeviceImages>());
  }
}

bool DrawLoads::equal_image_tokens() const {
  return std::adjacent_find(image_tokens_.begin(), image_tokens_.end(), std::not_equal_to<>()) ==
         image_tokens_.end();
}

}  // namespace spillway
