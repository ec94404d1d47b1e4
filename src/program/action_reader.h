// Reads one action of a program from its members. Private to src/program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/findings.h"
#include "program/action_fields.h"
#include "program/numbered.h"
#include "program/program.h"

namespace spillway {

// "/programs/3/actions/17".
std::string action_pointer(std::size_t program, std::size_t action);

// An action as it stands, before ids are resolved.
struct ReadAction {
  std::optional<std::uint64_t> id = {};
  std::optional<RankAction> action = {};  // none if anything is wrong with it
  std::uint64_t waits_for = 0;            // of a wait: the id
  std::uint32_t root = 0;                 // of a broadcast: the rank
};

// Reports every key that is unknown, repeated, missing or does not apply, and every value of a wrong kind.
// Indices are not compared with what the program has: its parts may come later in the document.
ReadAction read_action(const ActionFields& fields, std::size_t program, std::size_t index,
                       Numbered<MessageSize>& sizes, Findings& findings);

}  // namespace spillway
