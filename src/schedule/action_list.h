// Schedules as text, in the form of PyTorch's pipelining: a CSV file without a header, one row per rank, one
// cell per time slot, an empty cell an idle slot. Stages and microbatches count from 0.
//
//   0F0,0F1,,0B0,0B1        2F0  the forward of microbatch 0 in stage 2
//   ,1F0,1B0,1F1,1B1        2B0  its whole backward; 2I0 and 2W0: the gradients of its input, of its weights
//
//   (0F7;7B3)OVERLAP_F_B             a forward and another microbatch's whole backward, run together
//   1SEND_F3, 2RECV_F3, 2SEND_B3, 1RECV_B3     transfers of activations and gradients
//   0UNSHARD, 0RESHARD, 0REDUCE_GRAD           of a stage's parameters and gradients
//
// PyTorch's older lists have other letters, B for this I and BW for this B; they are not read. Source:
// pytorch/pytorch torch/distributed/pipelining/schedules.py, _Action and _dump_csv, and the lists in
// test/distributed/pipelining/artifacts. Tests: tests/schedule/action_list_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "schedule/listed_action.h"

namespace spillway {

using ActionRow = std::vector<std::optional<ListedAction>>;

struct ActionLists {
  std::vector<ActionRow> rows;  // by rank
  // Lines end as Python's csv module ends them, with CR LF instead of LF.
  bool carriage_returns = false;

  friend bool operator==(const ActionLists&, const ActionLists&) = default;
};

// One line per row; "" (two quotes) is a row with one idle slot, an empty line a row with none.
std::string to_string(const ActionLists& lists);

// The JSON pointer of a cell, "/<rank>/<slot>", both from 0.
std::string cell_pointer(std::size_t rank, std::size_t slot);

// Returns the lists, or a violation for every cell that is not an action, with the nearest action. It stops
// after 500 violations and says so. parse(to_string(x)) == x if x has a row, and to_string(parse(t)) == t for
// a text t as PyTorch writes it. It also accepts blanks and double quotes around a cell, leading zeros, mixed
// line ends, and no line end after the last row.
std::variant<ActionLists, std::vector<Violation>> parse_action_lists(std::string_view text);

}  // namespace spillway
