#include "execute/losses.h"

#include "base/error.h"

namespace spillway {
namespace {

// The sum that an action's loss belongs to; null for a send, whose message is its receiver's, and for what
// takes no time.
Seconds RankLosses::*sum_of(const RankAction& action) {
  if (std::holds_alternative<ComputeAction>(action) || std::holds_alternative<UpdateAction>(action))
    return &RankLosses::computing;
  if (std::holds_alternative<PostReceive>(action)) return &RankLosses::messages;
  if (std::holds_alternative<BroadcastAction>(action) || std::holds_alternative<ReduceAction>(action) ||
      std::holds_alternative<BarrierAction>(action))
    return &RankLosses::groups;
  return nullptr;
}

RankLosses losses_of(const RankProgram& of, const std::vector<ActionTimes>& times) {
  RankLosses losses;
  Seconds free;
  for (std::size_t index = 0; index < times.size(); ++index) {
    losses.between += times[index].start - free;
    free = times[index].end;
    if (const auto sum = sum_of(of.actions[index])) losses.*sum += times[index].lost();
  }
  return losses;
}

}  // namespace

std::vector<RankLosses> losses(const Program& program, const PlayedStep& step) {
  ensure(step.ranks.size() == program.programs.size(), "the step is of this program");
  std::vector<RankLosses> all;
  for (std::size_t rank = 0; rank < step.ranks.size(); ++rank)
    all.push_back(losses_of(program.programs[rank], step.ranks[rank]));
  return all;
}

}  // namespace spillway
