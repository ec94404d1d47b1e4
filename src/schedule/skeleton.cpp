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

}  // namespace

std::uint32_t default_group(std::uint32_t ranks) {
  return ranks;
}

std::vector<Violation> check_shape(Skeleton skeleton, const RunShape& shape) {
  if (skeleton != Skeleton::OneFOneB || shape.chunks == 1 || group_fits(shape.group, shape)) return {};
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

std::vector<Slot> rank_order(Skeleton skeleton, const RunShape& shape, RankId rank) {
  switch (skeleton) {
    case Skeleton::OneFOneB:
      return shape.chunks == 1 ? one_f_one_b(shape, rank) : interleaved_one_f_one_b(shape, rank);
    case Skeleton::GPipe:
      return gpipe(shape, rank);
    case Skeleton::Transpose:
      break;
  }
  throw ContractBreach("a transposed region has no pipelined order");
}

}  // namespace spillway
