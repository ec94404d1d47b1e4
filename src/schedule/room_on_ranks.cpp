#include "schedule/room_on_ranks.h"

#include <algorithm>

namespace spillway {

RoomOnRanks::RoomOnRanks(const TaskRoom& room, const std::vector<RankId>& rank)
    : room_(room), rank_(rank), ranks_(room.of_rank.size()) {
  if (ranks_.empty()) return;
  const std::uint32_t groups = rank.empty() ? 0 : 1 + *std::ranges::max_element(room.group);
  for (OnRank& on : ranks_) on.groups.resize(groups);
  for (std::uint32_t task = 0; task < rank.size(); ++task) {
    Group& group = ranks_[rank[task].index()].groups[room.group[task]];
    group.to_take += room.at_start[task];
    group.meanwhile = std::max(group.meanwhile, room.meanwhile[task]);
    ++group.left;
  }
}

bool RoomOnRanks::admits(std::uint32_t task) const {
  if (ranks_.empty()) return true;
  const OnRank& on = ranks_[rank_[task].index()];
  const Bytes taken = room_.at_start[task];
  Bytes free = room_.of_rank[rank_[task].index()] - on.held - taken;
  if (free < room_.meanwhile[task]) return false;
  if (taken == Bytes()) return true;
  const std::uint32_t own = room_.group[task];
  for (std::uint32_t index = on.first; index <= std::max(on.last, own); ++index) {
    const Group& group = on.groups[index];
    if (group.left == 0) continue;
    const Bytes begun = index == own ? taken : Bytes();
    if (free < group.to_take - begun + group.meanwhile) return false;
    free += group.held + begun;
  }
  return true;
}

void RoomOnRanks::start(std::uint32_t task) {
  if (ranks_.empty()) return;
  OnRank& on = ranks_[rank_[task].index()];
  Group& group = on.groups[room_.group[task]];
  group.to_take -= room_.at_start[task];
  group.held += room_.at_start[task];
  on.held += room_.at_start[task];
  on.last = std::max(on.last, room_.group[task]);
}

bool RoomOnRanks::end(std::uint32_t task) {
  if (ranks_.empty()) return false;
  OnRank& on = ranks_[rank_[task].index()];
  Group& group = on.groups[room_.group[task]];
  group.held += room_.at_end[task];
  on.held += room_.at_end[task];
  const bool ended = --group.left == 0;
  while (on.first < on.groups.size() && on.groups[on.first].left == 0) ++on.first;
  return ended || room_.at_end[task] < Bytes();
}

}  // namespace spillway
