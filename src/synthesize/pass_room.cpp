#include "synthesize/pass_room.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "schedule/room_on_ranks.h"

namespace spillway {
namespace {

// By event: its pass.
std::vector<std::uint32_t> passes_by_event(const PassNeeds& needs) {
  std::vector<std::uint32_t> passes;
  for (std::uint32_t pass = 0; pass < needs.event.size(); ++pass) {
    passes.resize(std::max<std::size_t>(passes.size(), needs.event[pass] + 1), kNoPass);
    passes[needs.event[pass]] = pass;
  }
  return passes;
}

class Delaying {
 public:
  Delaying(const PassNeeds& needs, double share)
      : room_(with_share(needs.room, share)), pass_(passes_by_event(needs)), on_ranks_(room_, needs.rank) {}

  bool keeps(std::size_t rank, const std::vector<std::uint32_t>& sequence) const {
    Bytes held;
    for (const std::uint32_t event : sequence) {
      const std::uint32_t pass = pass_[event];
      held += room_.at_start[pass];
      if (held + room_.meanwhile[pass] > room_.of_rank[rank]) return false;
      held += room_.at_end[pass];
    }
    return true;
  }

  std::vector<std::uint32_t> delayed(const std::vector<std::uint32_t>& sequence) {
    std::vector<std::uint32_t> kept;
    std::deque<std::uint32_t> waiting;
    const auto run = [&](std::uint32_t event) {
      kept.push_back(event);
      on_ranks_.start(pass_[event]);
      return on_ranks_.end(pass_[event]);
    };
    // Behind a pass that waits, those of its microbatch wait, too.
    const auto may_run = [&](std::uint32_t event, std::size_t before) {
      const auto end = waiting.begin() + static_cast<std::ptrdiff_t>(before);
      return std::none_of(waiting.begin(), end,
                          [&](std::uint32_t one) { return group(one) == group(event); }) &&
             on_ranks_.admits(pass_[event]);
    };
    const auto let_in = [&] {
      for (std::size_t at = 0; at < waiting.size();) {
        const std::uint32_t event = waiting[at];
        if (!may_run(event, at)) {
          ++at;
          continue;
        }
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(at));
        if (run(event)) at = 0;
      }
    };
    for (const std::uint32_t event : sequence) {
      if (!may_run(event, waiting.size()))
        waiting.push_back(event);
      else if (run(event))
        let_in();
    }
    kept.insert(kept.end(), waiting.begin(), waiting.end());
    return kept;
  }

 private:
  static TaskRoom with_share(TaskRoom room, double share) {
    for (Bytes& of_rank : room.of_rank) of_rank = of_rank * share;
    return room;
  }

  std::uint32_t group(std::uint32_t event) const { return room_.group[pass_[event]]; }

  const TaskRoom room_;
  const std::vector<std::uint32_t> pass_;  // by event
  RoomOnRanks on_ranks_;
};

}  // namespace

bool keeps_room(const PassNeeds& needs, const PassSequences& sequences, double share) {
  if (needs.room.of_rank.empty()) return true;
  const Delaying delaying(needs, share);
  for (std::size_t rank = 0; rank < sequences.size(); ++rank)
    if (!delaying.keeps(rank, sequences[rank])) return false;
  return true;
}

PassSequences within_room(const PassNeeds& needs, PassSequences sequences, double share) {
  if (needs.room.of_rank.empty()) return sequences;
  Delaying delaying(needs, share);
  for (std::size_t rank = 0; rank < sequences.size(); ++rank)
    if (!delaying.keeps(rank, sequences[rank])) sequences[rank] = delaying.delayed(sequences[rank]);
  return sequences;
}

}  // namespace spillway
