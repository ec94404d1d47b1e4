#include "program/program_check.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "program/action_reader.h"

namespace spillway {
namespace {

// Holds the actions of one rank against its program.
class ActionCheck {
 public:
  ActionCheck(const Program& program, std::size_t at, Findings& findings)
      : program_(program), of_(program.programs[at]), at_(at), findings_(findings) {}

  void check(std::size_t index) {
    index_ = index;
    std::visit([&](const auto& action) { members(action); }, of_.actions[index]);
  }

 private:
  void report(const char* key, const std::string& expected, std::uint32_t found) {
    if (findings_.is_full()) return findings_.count_one_more();
    findings_.add(action_pointer(at_, index_) + '/' + key, expected, std::to_string(found));
  }

  bool below(const char* key, std::uint32_t found, std::size_t count) {
    if (found < count) return true;
    report(key, "a number from 0 to " + std::to_string(count - 1), found);
    return false;
  }

  bool stage(const char* key, StageId id) { return below(key, id.index(), program_.stages.size()); }
  void microbatch(const char* key, MicrobatchId id) { below(key, id.index(), program_.microbatches); }
  void stage_of(const char* key, StageId id, RankId rank) {
    if (stage(key, id) && program_.stages[id.index()].rank != rank)
      report(key, "a stage of rank " + std::to_string(rank.index()), id.index());
  }

  void group(std::uint32_t id) {
    if (program_.groups.empty()) return report("group", "a group of the program, which has none", id);
    if (!below("group", id, program_.groups.size())) return;
    const auto& members = program_.groups[id];
    if (std::ranges::find(members, GroupMember{of_.replica, of_.rank}) == members.end())
      report("group", "a group that has this rank of this replica as a member", id);
  }

  void members(const ComputeAction& action) {
    stage_of("stage_index", action.at.stage, of_.rank);
    microbatch("microbatch", action.at.microbatch);
    if (action.at.from) stage("from_stage_index", *action.at.from);
    if (action.with) {
      stage_of("backward_stage_index", action.with->stage, of_.rank);
      microbatch("backward_microbatch", action.with->microbatch);
      if (action.with->from) stage("backward_from_stage_index", *action.with->from);
    }
    if (action.group) group(*action.group);
  }
  void message(const MessageAction& action, RankId from, RankId to) {
    microbatch("microbatch", action.microbatch);
    if (!below("peer", action.peer.index(), program_.ranks)) return;
    if (action.peer == of_.rank) return report("peer", "another rank", action.peer.index());
    stage_of("stage_index", action.from, from);
    stage_of("to_stage_index", action.to, to);
  }
  void members(const PostReceive& action) { message(action, action.peer, of_.rank); }
  void members(const Send& action) { message(action, of_.rank, action.peer); }
  void members(const Wait&) {}
  void members(const SeamAction& action) {
    stage("stage_index", action.stage);
    microbatch("microbatch", action.microbatch);
  }
  void members(const BroadcastAction& action) {
    group(action.group);
    stage("stage_index", action.stage);
  }
  void members(const LossAction& action) {
    stage_of("stage_index", action.stage, of_.rank);
    microbatch("microbatch", action.microbatch);
  }
  void members(const ReduceAction& action) {
    group(action.group);
    stage("stage_index", action.stage);
  }
  void members(const UpdateAction& action) { stage_of("stage_index", action.stage, of_.rank); }
  void members(const BarrierAction&) {}

  const Program& program_;
  const RankProgram& of_;
  std::size_t at_, index_ = 0;
  Findings& findings_;
};

bool ids_ascend(const Program& program) {
  std::uint64_t next = 0;
  for (const RankProgram& of : program.programs) {
    if (of.actions.empty()) continue;
    if (!of.ids.empty() || of.first_id < next) return false;
    next = of.first_id + of.actions.size();
  }
  return true;
}

}  // namespace

void check_actions(const Program& program, const IsWhole& is_whole, Findings& findings) {
  for (std::size_t at = 0; at < program.programs.size(); ++at) {
    ActionCheck check(program, at, findings);
    for (std::size_t index = 0; index < program.programs[at].actions.size(); ++index)
      if (is_whole(at, index)) check.check(index);
  }
}

void check_ids(const Program& program, Findings& findings) {
  if (ids_ascend(program)) return;
  std::vector<std::tuple<std::uint64_t, std::size_t, std::size_t>> places;
  for (std::size_t at = 0; at < program.programs.size(); ++at)
    for (std::size_t index = 0; index < program.programs[at].actions.size(); ++index)
      places.emplace_back(program.programs[at].id(index), at, index);
  std::ranges::sort(places);
  for (std::size_t i = 1; i < places.size() && !findings.is_full(); ++i) {
    const auto& [id, at, index] = places[i];
    if (id == std::get<0>(places[i - 1]))
      findings.add(action_pointer(at, index) + "/id", "an id that no other action has", std::to_string(id));
  }
}

}  // namespace spillway
