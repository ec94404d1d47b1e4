#include "schedule/skeleton.h"

#include <optional>
#include <string>

namespace spillway {
namespace {

bool group_fits(std::uint32_t group, const RunShape& shape) {
  const std::uint32_t rest = shape.microbatches % group;
  return group >= shape.ranks && group <= shape.microbatches && (rest == 0 || rest >= shape.ranks);
}

std::optional<std::uint32_t> smallest_fitting_group(const RunShape& shape) {
  for (std::uint32_t group = shape.ranks; group <= shape.microbatches; ++group) {
    if (group_fits(group, shape)) return group;
  }
  return std::nullopt;
}

std::vector<Violation> check_group(const RunShape& shape) {
  if (shape.chunks == 1 || group_fits(shape.group, shape)) return {};
  const auto fitting = smallest_fitting_group(shape);
  const std::string p = std::to_string(shape.ranks), m = std::to_string(shape.microbatches);
  if (!fitting) {
    return {{"", "/microbatch_group",
             "at least as many microbatches as ranks (" + p + ") for interleaved 1F1B", m}};
  }
  return {{"", "/microbatch_group",
           "a microbatch group between " + p + " ranks and " + m +
               " microbatches that leaves no last group shorter than " + p + ", as Megatron requires (" +
               std::to_string(*fitting) + " would do)",
           std::to_string(shape.group)}};
}

template <class OrderOf>
std::vector<RankOrder> each_rank(const RunShape& shape, OrderOf order_of) {
  std::vector<RankOrder> orders;
  for (std::uint32_t rank = 0; rank < shape.ranks; ++rank) orders.push_back(order_of(shape, RankId(rank)));
  return orders;
}

}  // namespace

std::uint32_t stage_of_chunk(Fold fold, std::uint32_t ranks, std::uint32_t chunk, std::uint32_t rank) {
  const bool back = fold != Fold::Straight && chunk % 2 == 1;
  const std::uint32_t position = back ? ranks - 1 - rank : rank;
  return fold == Fold::Bidirectional ? position : chunk * ranks + position;
}

std::uint32_t default_group(std::uint32_t ranks) {
  return ranks;
}

std::vector<Violation> check_shape(Skeleton skeleton, const RunShape& shape) {
  switch (skeleton.kind) {
    case SkeletonKind::OneFOneB:
      return check_group(shape);
    default:
      return {};
  }
}

std::vector<RankOrder> rank_orders(Skeleton skeleton, const RunShape& shape) {
  ensure(weaves(skeleton) || shape.chunks == chunks_of(skeleton), "the shape has the skeleton's chunks");
  switch (skeleton.kind) {
    case SkeletonKind::OneFOneB:
      return each_rank(shape, shape.chunks == 1 ? one_f_one_b : interleaved_one_f_one_b);
    case SkeletonKind::GPipe:
      return each_rank(shape, gpipe);
    case SkeletonKind::ZbH1:
      return each_rank(shape, zb_h1);
    case SkeletonKind::ZbH2:
      return each_rank(shape, zb_h2);
    case SkeletonKind::ZbV:
      return each_rank(shape, zb_v);
    default:
      throw ContractBreach(to_string(skeleton) + " has no pipelined order");
  }
}

}  // namespace spillway
