#include "optimize/rank_gaps.h"

#include <algorithm>

namespace spillway {
namespace {

// When the pass would be done in this gap, `room` of whose host is taken; nothing where it has no place.
std::optional<GapUse> use_of(const RankGap& gap, std::size_t index, Seconds pass, Seconds ready,
                             Seconds taken) {
  if (gap.host) {
    if (ready > gap.from || pass + taken > gap.room) return std::nullopt;
    return GapUse{index, gap.from, gap.to};
  }
  const Seconds at = std::max(gap.from, ready);
  return at + pass <= gap.to ? std::optional(GapUse{index, at, at + pass}) : std::nullopt;
}

}  // namespace

std::vector<GapUse> RankGaps::fit(std::span<const Seconds> passes, Seconds ready,
                                  std::optional<Seconds> until) const {
  std::vector<GapUse> uses;
  std::size_t gap = 0;
  Seconds taken;  // of this gap's host
  for (const Seconds pass : passes) {
    std::optional<GapUse> use;
    while (gap < gaps_.size() && !(use = use_of(gaps_[gap], gap, pass, ready, taken))) {
      ++gap;
      taken = {};
    }
    if (!use || (until && use->end > *until)) break;
    uses.push_back(*use);
    const bool hosted = gaps_[gap].host.has_value();
    taken = hosted ? taken + pass : Seconds();
    ready = hosted ? use->at : use->end;  // more may run under the same host
  }
  return uses;
}

void RankGaps::take(const GapUse& use, Seconds pass) {
  RankGap& gap = gaps_[use.gap];
  if (gap.host)
    gap.room -= pass;
  else
    gap.from = use.end;
}

void RankGaps::delay(Seconds later) {
  for (std::size_t gap = 0; gap < gaps_.size(); ++gap) {
    if (gap > 0) gaps_[gap].from += later;
    gaps_[gap].to += later;
  }
}

}  // namespace spillway
