// Holds the names in a program's actions against the program and against each other. Private to src/program.
#pragma once

#include <cstddef>
#include <functional>

#include "base/findings.h"
#include "program/program.h"

namespace spillway {

// Says of the action at a program's place and index whether it could be read.
using IsWhole = std::function<bool(std::size_t program, std::size_t action)>;

// Adds every stage, microbatch, rank and group that an action names and the program does not have, and every
// pass and message of a stage that the action's rank does not hold.
void check_actions(const Program& program, const IsWhole& is_whole, Findings& findings);

// The others need every action. They leave out messages and groups that check_actions refuses.

// Adds ids that are given twice.
void check_ids(const Program& program, Findings& findings);

// Adds tags out of order, messages that lack an end, and messages whose ends disagree.
void check_messages(const Program& program, Findings& findings);

// Adds operations of a group that its members start in different orders.
void check_groups(const Program& program, Findings& findings);

}  // namespace spillway
