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

// The asserts of deepseek-ai/DualPipe.
void refuse_unless_even(std::vector<Violation>& violations, const char* pointer, const char* why,
                        std::uint32_t count) {
  if (count % 2 == 0) return;
  violations.push_back(
      {"", pointer, std::string("an even number for dualpipe, ") + why, std::to_string(count)});
}

std::vector<Violation> check_fill(Skeleton skeleton, const RunShape& shape) {
  const std::uint64_t fewest = 2 * std::uint64_t{shape.ranks};
  if (shape.microbatches >= fewest) return {};
  return {{"", "/pipeline/microbatches",
           "at least " + std::to_string(fewest) + " for " + to_string(skeleton) + ", twice the " +
               std::to_string(shape.ranks) + " ranks",
           std::to_string(shape.microbatches)}};
}

std::vector<Violation> check_dualpipe(const RunShape& shape) {
  std::vector<Violation> violations;
  refuse_unless_even(violations, "/pipeline/ranks", "whose halves mirror each other", shape.ranks);
  refuse_unless_even(violations, "/pipeline/microbatches", "half of which enter at each end",
                     shape.microbatches);
  for (Violation& violation : check_fill(SkeletonKind::DualPipe, shape)) violations.push_back(violation);
  return violations;
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
    case SkeletonKind::DualPipe:
      return check_dualpipe(shape);
    case SkeletonKind::DualPipeV:
      return check_fill(skeleton, shape);
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
    case SkeletonKind::Wave:
      return wave(shape);
    case SkeletonKind::DualPipe:
      return each_rank(shape, dualpipe);
    case SkeletonKind::DualPipeV:
      return each_rank(shape, dualpipev);
    case SkeletonKind::Zb1p:
      return zb_auto(shape, shape.ranks);
    case SkeletonKind::Zb2p:
      return zb_auto(shape, 2 * shape.ranks);
    case SkeletonKind::VHalf:
      return v_half(shape);
    case SkeletonKind::VMin:
      return v_min(shape);
    default:
      throw ContractBreach(to_string(skeleton) + " has no pipelined order");
  }
}

}  // namespace spillway
