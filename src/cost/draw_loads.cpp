#include "cost/draw_loads.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/error.h"

namespace spillway {
namespace {

struct Before {
  bool operator()(const TokenLoad& a, const TokenLoad& b) const {
    if (a.sequence != b.sequence) return a.sequence < b.sequence;
    return std::ranges::lexicographical_compare(a.sequences, b.sequences, [](Sequences x, Sequences y) {
      return std::pair(x.length, x.count) < std::pair(y.length, y.count);
    });
  }
};

// Numbers the kinds of microbatches in the order in which they are met.
class Kinds {
 public:
  Kinds(const Draw& draw, DocumentRule rule) : token_loads_(draw, rule) {}

  std::uint32_t of(const MicrobatchLoad& load) {
    const bool as_before = load.documents.empty() && before_ && before_->documents.empty() &&
                           load.sequence_tokens == before_->sequence_tokens &&
                           load.sequences == before_->sequences;
    before_ = &load;
    if (as_before) return last_;
    const auto [at, is_new] =
        known_.try_emplace(token_loads_(load), static_cast<std::uint32_t>(kinds.size()));
    if (is_new) kinds.push_back(at->first);
    return last_ = at->second;
  }

  std::vector<TokenLoad> kinds;

 private:
  TokenLoads token_loads_;
  std::map<TokenLoad, std::uint32_t, Before> known_;
  const MicrobatchLoad* before_ = nullptr;
  std::uint32_t last_ = 0;
};

}  // namespace

DrawLoads::BlockImages DrawLoads::block_images(const Draw& draw, std::uint32_t members, std::uint32_t sharers,
                                               const ImageFlops& flops) {
  BlockImages images;
  ByImages<std::uint32_t> numbers;
  for (const auto& replica : draw) {
    for (const MicrobatchLoad& load : replica) {
      const std::vector<DeviceImages> shares = spread_images(load.media, sharers, flops);
      for (const DeviceImages& share : shares)
        images.kind_of.push_back(numbers.of(share, [&] {
          images.kinds.push_back(share);
          return static_cast<std::uint32_t>(images.kinds.size() - 1);
        }));
      for (std::uint32_t member = 0; member < members; ++member)
        images.of_devices.push_back(shares[member % sharers]);
    }
  }
  return images;
}

DrawLoads::DrawLoads(const Draw& draw, std::uint32_t members, std::uint32_t sharers,
                     const std::vector<std::optional<ImageFlops>>& encoders, DocumentRule rule)
    : members_(members),
      sharers_(sharers),
      microbatches_(draw.empty() ? 0 : static_cast<std::uint32_t>(draw.front().size())),
      replicas_(static_cast<std::uint32_t>(draw.size())),
      tally_(spillway::tally(draw)) {
  Kinds kinds(draw, rule);
  double computed = 0;
  for (const auto& replica : draw) {
    ensure(replica.size() == microbatches_, "every replica of a draw has equally many microbatches");
    for (const MicrobatchLoad& load : replica) {
      kind_of_.push_back(kinds.of(load));
      image_tokens_.push_back(load.image_tokens);
      audio_tokens_.push_back(load.audio_tokens);
      computed += kinds.kinds[kind_of_.back()].sequence;
    }
  }
  kinds_ = std::move(kinds.kinds);
  tally_.computed_tokens = static_cast<std::uint64_t>(computed);
  for (const auto& flops : encoders) {
    images_.push_back(flops ? block_images(draw, members, sharers, *flops) : BlockImages());
  }
}

DrawLoads DrawLoads::without_attention() && {
  for (TokenLoad& kind : kinds_) kind = {kind.sequence, {}};
  return std::move(*this);
}

bool DrawLoads::equal_tokens() const {
  return std::ranges::all_of(kinds_,
                             [&](const TokenLoad& kind) { return kind.sequence == kinds_.front().sequence; });
}

bool DrawLoads::equal_media_tokens(Modality modality) const {
  const std::vector<double>& tokens = modality == Modality::Audio ? audio_tokens_ : image_tokens_;
  return std::adjacent_find(tokens.begin(), tokens.end(), std::not_equal_to<>()) == tokens.end();
}

}  // namespace spillway
