#include "execute/wires.h"

#include <optional>
#include <set>
#include <vector>

namespace spillway {
namespace {

std::optional<ExchangeKey> key_of(const RankAction& action) {
  if (const auto* reduce = std::get_if<ReduceAction>(&action))
    return ExchangeKey{ExchangeKind::Reduce, reduce->group, reduce->stage.index()};
  if (const auto* broadcast = std::get_if<BroadcastAction>(&action))
    return ExchangeKey{ExchangeKind::Broadcast, broadcast->group, broadcast->stage.index()};
  const auto* compute = std::get_if<ComputeAction>(&action);
  if (compute && compute->group) return ExchangeKey{ExchangeKind::Compute, *compute->group, 0};
  return {};
}

std::set<ExchangeKey> keys_of(const Program& program) {
  std::set<ExchangeKey> keys;
  for (const RankProgram& of : program.programs)
    for (const RankAction& action : of.actions)
      if (const auto key = key_of(action)) keys.insert(*key);
  return keys;
}

// In the order of the group, so that the root of a broadcast is member 0.
MPI_Group members_of(const Program& program, std::uint32_t group, MPI_Group world) {
  std::vector<int> processes;
  for (const GroupMember& member : program.groups[group])
    processes.push_back(static_cast<int>(member.replica.index() * program.ranks + member.rank.index()));
  MPI_Group members;
  MPI_Group_incl(world, static_cast<int>(processes.size()), processes.data(), &members);
  return members;
}

}  // namespace

// All processes walk through the keys in one order, so that none waits for another in a circle.
Wires::Wires(const Program& program) {
  for (MPI_Comm* each : {&stamps_, &messages_, &everyone_}) MPI_Comm_dup(MPI_COMM_WORLD, each);
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int tag = 0;
  for (const ExchangeKey& key : keys_of(program)) {
    MPI_Group members = members_of(program, key.group, world);
    int place = MPI_UNDEFINED;
    MPI_Group_rank(members, &place);
    if (place != MPI_UNDEFINED) MPI_Comm_create_group(MPI_COMM_WORLD, members, tag, &groups_[key]);
    MPI_Group_free(&members);
    ++tag;
  }
  MPI_Group_free(&world);
}

Wires::~Wires() {
  for (auto& [key, group] : groups_) MPI_Comm_free(&group);
  for (MPI_Comm* each : {&stamps_, &messages_, &everyone_}) MPI_Comm_free(each);
}

}  // namespace spillway
