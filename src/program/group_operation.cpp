#include "program/group_operation.h"

#include <map>
#include <set>
#include <vector>

namespace spillway {
namespace {

using Operations = std::vector<GroupOperation>;

std::map<std::uint32_t, Operations> operations_of(const RankProgram& of) {
  std::map<std::uint32_t, Operations> operations;
  for (const RankAction& action : of.actions)
    if (const auto operation = group_operation(action)) operations[operation->group].push_back(*operation);
  return operations;
}

std::set<std::uint32_t> groups_in_disorder(const Program& program) {
  std::map<std::uint32_t, Operations> first;  // as the first member has them
  std::set<std::uint32_t> disorder;
  for (const RankProgram& of : program.programs)
    for (auto& [group, operations] : operations_of(of))
      if (first.try_emplace(group, operations).first->second != operations) disorder.insert(group);
  return disorder;
}

void set_group(RankAction& action, std::uint32_t group) {
  if (auto* broadcast = std::get_if<BroadcastAction>(&action)) broadcast->group = group;
  if (auto* reduce = std::get_if<ReduceAction>(&action)) reduce->group = group;
  if (auto* compute = std::get_if<ComputeAction>(&action)) compute->group = group;
}

}  // namespace

std::string to_string(const GroupOperation& operation) {
  return '"' + std::string(operation.op) + "\" of stage " + std::to_string(operation.stage.index());
}

std::optional<GroupOperation> group_operation(const RankAction& action) {
  if (const auto* broadcast = std::get_if<BroadcastAction>(&action))
    return GroupOperation{broadcast->group, "broadcast", broadcast->stage};
  if (const auto* reduce = std::get_if<ReduceAction>(&action))
    return GroupOperation{reduce->group, "reduce", reduce->stage};
  if (const auto* compute = std::get_if<ComputeAction>(&action); compute && compute->group)
    return GroupOperation{*compute->group, "compute", compute->at.stage};
  return {};
}

void part_groups(Program& program) {
  const std::set<std::uint32_t> disorder = groups_in_disorder(program);
  if (disorder.empty()) return;
  std::map<GroupOperation, std::uint32_t> groups;
  for (RankProgram& of : program.programs)
    for (RankAction& action : of.actions) {
      const auto operation = group_operation(action);
      if (!operation || !disorder.contains(operation->group)) continue;
      const auto fresh = static_cast<std::uint32_t>(program.groups.size());
      const auto [known, added] = groups.try_emplace(*operation, fresh);
      if (added) program.groups.push_back(std::vector(program.groups[operation->group]));
      set_group(action, known->second);
    }
}

}  // namespace spillway
