// Reads one action of a program from its members. Private to src/program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/findings.h"
#include "program/action_fields.h"
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

// Numbers sizes of messages in the order of their first use.
class MessageSizes {
 public:
  std::uint32_t number(const MessageSize& size);
  std::vector<MessageSize> all() const;

 private:
  std::map<MessageSize, std::uint32_t> numbers_;
};

// Reports every key that is unknown, repeated, missing or does not apply, and every value of a wrong kind.
// Indices are not compared with what the program has: its parts may come later in the document.
ReadAction read_action(const ActionFields& fields, std::size_t program, std::size_t index,
                       MessageSizes& sizes, Findings& findings);

}  // namespace spillway
