// The bounds on activations that the skeletons' files state, by rank and in whole slabs.
#include <algorithm>

#include "schedule/skeleton.h"

namespace spillway {
namespace {

// Forwards that run ahead of the first backward, and the one that goes with it.
double woven_bound(const RunShape& shape, RankId rank) {
  const double after = shape.ranks - rank.index() - 1.0, v = shape.chunks;
  return v == 1 ? after + 1 : (2 * after + (v - 1) * shape.group + 1) / v;
}

double bound_by_position(Skeleton skeleton, const RunShape& shape, RankId rank) {
  const double p = shape.ranks;
  switch (skeleton.kind) {
    case SkeletonKind::OneFOneB:
      return woven_bound(shape, rank);
    case SkeletonKind::GPipe:
    case SkeletonKind::Listed:
      return shape.microbatches;
    case SkeletonKind::ZbH1:
    case SkeletonKind::Zb1p:
    case SkeletonKind::ZbV:
    case SkeletonKind::Wave:
      return p;
    case SkeletonKind::VHalf:
      return (shape.ranks + 2) / 2;
    case SkeletonKind::VMin:
      return (shape.ranks + 4) / 3;
    case SkeletonKind::ZbH2:
      return 2 * p - 1;
    case SkeletonKind::Zb2p:
      return 2 * p;
    case SkeletonKind::DualPipe:
      return (p + 1) / 2;
    case SkeletonKind::DualPipeV:
      return (2 * p + 1) / 2;
    case SkeletonKind::Transpose:
      break;
  }
  throw ContractBreach(to_string(skeleton) + " has no pipelined order");
}

}  // namespace

double activation_bound(Skeleton skeleton, const RunShape& shape, RankId rank) {
  return std::min<double>(shape.microbatches, bound_by_position(skeleton, shape, rank));
}

}  // namespace spillway
