#include "schedule/skeleton.h"

#include <algorithm>

#include "base/number.h"

namespace spillway {
namespace {

constexpr auto kTraits = []<std::size_t... kind>(std::index_sequence<kind...>) {
  return std::array{*traits_row(kEverySkeleton[kind])...};
}
(std::make_index_sequence<kSkeletonKinds>());

// No pipeline that can be simulated has layers for more waves.
constexpr std::uint32_t kMostWaves = 1'000'000;

// w of "wave(w)"; `text` is the part after the name.
std::optional<std::uint32_t> waves_from(std::string_view text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return std::nullopt;
  const auto waves = number_from<std::uint32_t>(text.substr(1, text.size() - 2));
  return waves && *waves > 0 && *waves <= kMostWaves ? waves : std::nullopt;
}

std::vector<StagePlace> listed_places(const std::vector<RankId>& stage_rank) {
  std::vector<StagePlace> places;
  for (std::uint32_t stage = 0; stage < stage_rank.size(); ++stage) {
    const auto own = stage_rank.begin() + stage;
    const auto before = std::count(stage_rank.begin(), own, *own);
    const auto all = std::count(stage_rank.begin(), stage_rank.end(), *own);
    places.push_back({stage, *own, static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(all)});
  }
  return places;
}

const PlacedOrders& order_of(const Skeleton& skeleton) {
  ensure(skeleton.listed.has_value(), "a listed region comes with its order");
  return **skeleton.listed;
}

}  // namespace

const SkeletonTraits& traits_of(SkeletonKind kind) {
  return kTraits[static_cast<std::size_t>(kind)];
}

std::string to_string(const Skeleton& skeleton) {
  const SkeletonTraits& traits = traits_of(skeleton);
  const std::string name(traits.name.value);
  return traits.chunks == kByWaves ? name + '(' + std::to_string(skeleton.waves) + ')' : name;
}

std::string to_string(Layout layout) {
  return layout == Layout::Sharded ? "Sharded" : "Replicated";
}

std::optional<Skeleton> skeleton_from(std::string_view text) {
  for (const SkeletonKind kind : kEverySkeleton) {
    const SkeletonTraits& traits = traits_of(kind);
    if (!text.starts_with(traits.name.value)) continue;
    const std::string_view rest = text.substr(traits.name.value.size());
    if (traits.chunks != kByWaves) {
      if (rest.empty()) return Skeleton(kind);
    } else if (const auto waves = waves_from(rest)) {
      return Skeleton(kind, *waves);
    }
  }
  return std::nullopt;
}

std::uint32_t chunks_of(const Skeleton& skeleton) {
  const std::uint32_t chunks = traits_of(skeleton).chunks;
  return chunks == kByWaves ? 2 * skeleton.waves : chunks;
}

std::uint64_t stage_count(const Skeleton& skeleton, std::uint32_t ranks) {
  if (is_listed(skeleton)) return order_of(skeleton).stage_rank.size();
  return fold_of(skeleton) == Fold::Bidirectional ? ranks : std::uint64_t{ranks} * chunks_of(skeleton);
}

std::uint32_t stage_of_chunk(Fold fold, std::uint32_t ranks, std::uint32_t chunk, std::uint32_t rank) {
  const bool back = fold != Fold::Straight && chunk % 2 == 1;
  const std::uint32_t position = back ? ranks - 1 - rank : rank;
  return fold == Fold::Bidirectional ? position : chunk * ranks + position;
}

std::vector<StagePlace> stage_places(const Skeleton& skeleton, std::uint32_t ranks) {
  if (is_listed(skeleton)) return listed_places(order_of(skeleton).stage_rank);
  const Fold fold = fold_of(skeleton);
  const std::uint32_t chunks = chunks_of(skeleton);
  std::vector<StagePlace> places;
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      places.push_back({stage_of_chunk(fold, ranks, chunk, rank), RankId(rank), chunk, chunks});
  }
  return places;
}

std::vector<Violation> check_shape(const Skeleton& skeleton, const RunShape& shape) {
  const SkeletonTraits& traits = traits_of(skeleton);
  return traits.check == nullptr ? std::vector<Violation>() : traits.check(traits.name, shape);
}

std::vector<RankOrder> rank_orders(const Skeleton& skeleton, const RunShape& shape) {
  const SkeletonTraits& traits = traits_of(skeleton);
  ensure(traits.orders != nullptr, "a pipelined skeleton");
  ensure(weaves(skeleton) || shape.chunks == chunks_of(skeleton), "the shape has the skeleton's chunks");
  return traits.orders(skeleton, shape);
}

std::vector<RankOrder> listed_orders(const Skeleton& skeleton, const RunShape&) {
  return order_of(skeleton).orders;
}

Slot slot_at(const Skeleton& skeleton, const RunShape& shape, RankId rank, std::uint64_t position) {
  const SkeletonTraits& traits = traits_of(skeleton);
  ensure(traits.slot != nullptr, "an order that follows slot by slot");
  return traits.slot(shape, rank, position);
}

double activation_bound(const Skeleton& skeleton, const RunShape& shape, RankId rank) {
  const SkeletonTraits& traits = traits_of(skeleton);
  ensure(traits.bound != nullptr, "a pipelined skeleton");
  return std::min<double>(shape.microbatches, traits.bound(shape, rank));
}

}  // namespace spillway
