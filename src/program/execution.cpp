#include "program/execution.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "program/group_operation.h"

namespace spillway {

ProgramExecution::ProgramExecution(const Program& program, std::uint32_t buffers)
    : program_(program), buffers_(buffers), next_(program.programs.size()), ranks_(program.programs.size()) {
  for (const std::vector<GroupMember>& group : program.groups) {
    members_.emplace_back();
    for (const GroupMember& member : group)
      members_.back().push_back(std::size_t{member.replica.index()} * program.ranks + member.rank.index());
  }
  members_.emplace_back();
  for (std::size_t rank = 0; rank < program.programs.size(); ++rank) {
    members_.back().push_back(rank);
    wake(rank);
  }
  meetings_.resize(members_.size());
}

bool ProgramExecution::run() {
  while (!ready_.empty()) {
    const std::size_t rank = ready_.back();
    ready_.pop_back();
    ranks_[rank].ready = false;
    while (!ended(rank) && step(rank)) ++next_[rank];
  }
  for (std::size_t rank = 0; rank < next_.size(); ++rank)
    if (!ended(rank)) return false;
  return true;
}

void ProgramExecution::wake(std::size_t rank) {
  if (!std::exchange(ranks_[rank].ready, true)) ready_.push_back(rank);
}

std::size_t ProgramExecution::peer_of(std::size_t rank, RankId peer) const {
  return std::size_t{program_.programs[rank].replica.index()} * program_.ranks + peer.index();
}

ProgramExecution::PairOfRanks& ProgramExecution::pair(std::size_t from, RankId to) {
  const std::uint64_t key = std::uint64_t{from} * program_.ranks + to.index();
  return pairs_.try_emplace(key, PairOfRanks{from, peer_of(from, to)}).first->second;
}

// Contract: an action of the pair has been executed.
const ProgramExecution::PairOfRanks& ProgramExecution::pair(std::size_t from, RankId to) const {
  return pairs_.at(std::uint64_t{from} * program_.ranks + to.index());
}

bool ProgramExecution::send_is_over(const PairOfRanks& pair, std::uint32_t tag) const {
  return tag < buffers_ || pair.posted > tag - buffers_;
}

// The group at whose meeting an action blocks.
std::optional<std::size_t> ProgramExecution::meeting_group(const RankAction& action) const {
  if (std::holds_alternative<BarrierAction>(action)) return members_.size() - 1;
  const auto* compute = std::get_if<ComputeAction>(&action);
  return compute && compute->group ? std::optional<std::size_t>(*compute->group) : std::nullopt;
}

bool ProgramExecution::step(std::size_t rank) {
  const RankAction& action = program_.programs[rank].actions[next_[rank]];
  if (const auto* wait_action = std::get_if<Wait>(&action)) return wait(rank, *wait_action);
  if (const auto* send = std::get_if<Send>(&action)) {
    PairOfRanks& messages = pair(rank, send->peer);
    ++messages.sent;
    wake(messages.to);
  } else if (const auto* receive = std::get_if<PostReceive>(&action)) {
    PairOfRanks& messages = pair(peer_of(rank, receive->peer), program_.programs[rank].rank);
    ++messages.posted;
    wake(messages.from);
  } else if (const auto group = meeting_group(action)) {
    return meet(rank, *group);
  } else if (const auto operation = group_operation(action)) {
    ranks_[rank].number[next_[rank]] = arrive(rank, operation->group);
  }
  return true;
}

bool ProgramExecution::wait(std::size_t rank, const Wait& wait) {
  if (wait.of >= next_[rank]) return false;  // it comes later in the same rank
  const RankAction& of = program_.programs[rank].actions[wait.of];
  if (const auto* send = std::get_if<Send>(&of)) return send_is_over(pair(rank, send->peer), send->tag);
  if (const auto* receive = std::get_if<PostReceive>(&of))
    return pair(peer_of(rank, receive->peer), program_.programs[rank].rank).sent > receive->tag;
  return is_over(rank, group_operation(of)->group, ranks_[rank].number.at(wait.of));
}

// Returns the number of the operation among those of the group.
std::uint32_t ProgramExecution::arrive(std::size_t rank, std::size_t group) {
  const std::uint32_t number = ranks_[rank].started[group]++;
  Meetings& meetings = meetings_[group];
  if (number >= meetings.arrived.size()) {
    meetings.arrived.resize(number + 1);
    meetings.waiting.resize(number + 1);
  }
  if (++meetings.arrived[number] == members_[group].size()) {
    for (const std::size_t waiting : meetings.waiting[number]) wake(waiting);
    meetings.waiting[number] = {};
  }
  return number;
}

bool ProgramExecution::is_over(std::size_t rank, std::size_t group, std::uint32_t number) {
  if (meetings_[group].arrived[number] == members_[group].size()) return true;
  meetings_[group].waiting[number].push_back(rank);
  return false;
}

bool ProgramExecution::meet(std::size_t rank, std::size_t group) {
  if (!std::exchange(ranks_[rank].arrived, true)) ranks_[rank].number[next_[rank]] = arrive(rank, group);
  const bool over = is_over(rank, group, ranks_[rank].number.at(next_[rank]));
  if (over) ranks_[rank].arrived = false;
  return over;
}

bool ProgramExecution::has_arrived(std::size_t rank, std::size_t group, std::uint32_t number) const {
  const auto started = ranks_[rank].started.find(group);
  return started != ranks_[rank].started.end() && started->second > number;
}

ProgramExecution::Need ProgramExecution::need(std::size_t rank) const {
  const RankProgram& of = program_.programs[rank];
  const RankAction& action = of.actions[next_[rank]];
  if (const auto group = meeting_group(action)) return {{}, {{*group, ranks_[rank].number.at(next_[rank])}}};
  const std::uint32_t awaited = std::get<Wait>(action).of;
  if (awaited >= next_[rank]) return {rank, {}};
  if (const auto* send = std::get_if<Send>(&of.actions[awaited])) return {peer_of(rank, send->peer), {}};
  if (const auto* receive = std::get_if<PostReceive>(&of.actions[awaited]))
    return {peer_of(rank, receive->peer), {}};
  return {{}, {{group_operation(of.actions[awaited])->group, ranks_[rank].number.at(awaited)}}};
}

bool ProgramExecution::grow_buffers() {
  std::uint32_t least = kUnbounded;
  std::vector<std::pair<std::uint32_t, std::size_t>> senders;  // buffers that each needs
  for (std::size_t rank = 0; rank < next_.size(); ++rank) {
    if (ended(rank)) continue;
    const RankProgram& of = program_.programs[rank];
    const auto* wait = std::get_if<Wait>(&of.actions[next_[rank]]);
    const auto* send = wait && wait->of < next_[rank] ? std::get_if<Send>(&of.actions[wait->of]) : nullptr;
    if (!send) continue;
    senders.emplace_back(send->tag + 1 - pair(rank, send->peer).posted, rank);
    least = std::min(least, senders.back().first);
  }
  if (senders.empty()) return false;
  buffers_ = least;
  for (const auto& [buffers, rank] : senders)
    if (buffers == least) wake(rank);
  return true;
}

}  // namespace spillway
