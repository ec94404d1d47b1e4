#include "execute/wires.h"

#include <optional>
#include <set>
#include <vector>

namespace spillway {
namespace {

std::set<GroupOperation> operations_of(const Program& program) {
  std::set<GroupOperation> operations;
  for (const RankProgram& of : program.programs)
    for (const RankAction& action : of.actions)
      if (const auto operation = group_operation(action)) operations.insert(*operation);
  return operations;
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

// All processes walk through the operations in one order, so that none waits for another in a circle.
Wires::Wires(const Program& program) {
  for (MPI_Comm* each : {&stamps_, &messages_, &everyone_, &barriers_}) MPI_Comm_dup(MPI_COMM_WORLD, each);
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int tag = 0;
  for (const GroupOperation& operation : operations_of(program)) {
    MPI_Group members = members_of(program, operation.group, world);
    int place = MPI_UNDEFINED;
    MPI_Group_rank(members, &place);
    if (place != MPI_UNDEFINED) MPI_Comm_create_group(MPI_COMM_WORLD, members, tag, &groups_[operation]);
    MPI_Group_free(&members);
    ++tag;
  }
  MPI_Group_free(&world);
}

Wires::~Wires() {
  for (auto& [operation, group] : groups_) MPI_Comm_free(&group);
  for (MPI_Comm* each : {&stamps_, &messages_, &everyone_, &barriers_}) MPI_Comm_free(each);
}

}  // namespace spillway
