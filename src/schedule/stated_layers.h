// How many layers each stage holds, said in the text of action lists (action_list.h): "2F0 [layers=5]",
// behind any action of the stage that is no overlap. PyTorch's reader, which matches the beginning of a cell,
// reads it as 2F0 (torch/distributed/pipelining/schedules.py, _Action.from_str).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"

namespace spillway {

struct ListText {
  std::string actions;                // the text without what is said of layers
  std::vector<std::uint32_t> layers;  // by stage; empty where nothing is said

  friend bool operator==(const ListText&, const ListText&) = default;
};

// Says it of each stage at its first such action. Contract: parse_action_lists takes the text, and no stage
// in it is beyond `by_stage`.
std::string with_stated_layers(std::string_view actions, const std::vector<std::uint32_t>& by_stage);

// Apart again; apart(with_stated_layers(t, l)) == {t, l} where every stage computes alone at least once. Else
// what is wrong: a number that is none, two numbers of one stage, some stages without. Pointers are
// /<rank>/<slot>, and "/".
std::variant<ListText, std::vector<Violation>> without_stated_layers(std::string_view text);

}  // namespace spillway
