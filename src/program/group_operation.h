// Operations that the members of a group start together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "program/program.h"

namespace spillway {

// One operation of a group and stage: its members start the exchanges of one of these in the same order.
struct GroupOperation {
  std::uint32_t group;
  std::string_view op;  // as the document has it
  StageId stage;

  friend auto operator<=>(const GroupOperation&, const GroupOperation&) = default;
};

// "reduce" of stage 3.
std::string to_string(const GroupOperation& operation);

// Returns nothing for an action that is none. The barrier, which all ranks meet at, has no group.
std::optional<GroupOperation> group_operation(const RankAction& action);

// Gives operations groups of their own where the members of a group start them in different orders: a library
// knows an operation of a group by its place in that order.
void part_groups(Program& program);

}  // namespace spillway
