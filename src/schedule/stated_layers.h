// The number of layers of each stage, stated in the text of action lists (action_list.h): "2F0 [layers=5]",
// after any action of the stage that is not an overlap. PyTorch's reader matches the beginning of a cell, so
// it reads this as 2F0 (torch/distributed/pipelining/schedules.py, _Action.from_str).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"

namespace spillway {

struct ListText {
  std::string actions;                // the text without the layers
  std::vector<std::uint32_t> layers;  // by stage; empty if none are stated

  friend bool operator==(const ListText&, const ListText&) = default;
};

// States the layers of each stage at its first such action. Contract: parse_action_lists accepts the text,
// and `by_stage` covers every stage in it.
std::string with_stated_layers(std::string_view actions, const std::vector<std::uint32_t>& by_stage);

// The inverse: without_stated_layers(with_stated_layers(t, l)) == {t, l} if every stage has an action that is
// not an overlap. Returns the violations else: an invalid number, two numbers for one stage, or stages
// without one. Pointers are /<rank>/<slot>, and "/".
std::variant<ListText, std::vector<Violation>> without_stated_layers(std::string_view text);

}  // namespace spillway
