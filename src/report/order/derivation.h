// The output of `spillway derive`: placement, collectives and order.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "derive/derive.h"
#include "schedule/action_list.h"

namespace spillway {

// Goal, Chakra and Program need prices. goal.h, chakra.h and program_json.h write them.
enum class DerivationFormat { Text, Json, Dot, GraphMl, Csv, Goal, Chakra, Program };

// Parses text, json, dot, graphml, csv, goal, chakra and program.
std::optional<DerivationFormat> derivation_format_from(std::string_view name);

// Takes time linear in the events and edges. Events print as in the paper, and those of a rank in the order
// of rank_lists() (order/rank_lists.h). dot and graphml hold the order alone, csv is derivation_csv.
// Contract: the format needs no prices.
void write_derivation(std::ostream& out, const Derived& derived, DerivationFormat format);

// Write a single format. In JSON a rank may own several layer ranges. A stage has the paper's stage_index and
// its place in the region, which the names of events use. Edges refer to events by name.
void write_derivation_json(std::ostream& out, const Derived& derived);
void write_derivation_text(std::ostream& out, const Derived& derived);

// Returns PyTorch's action lists: the passes of the stages that PyTorch can hold (torch_stages.h), by rank,
// in the order of execution. Of a schedule in which some of these stages run no backward, because everything
// up to them is frozen, the lists have the transfers, too: PyTorch reads them as "compute_comms". All others
// are "compute_only". Contract: no modules on devices of their own.
ActionLists action_lists_of(const Derived& derived);

// Returns the action lists as text. The text states the layers of the stages (stated_layers.h) unless the
// stages share the whole model as evenly as possible. A reader assumes an even split if no layers are stated.
std::string derivation_csv(const Derived& derived);

}  // namespace spillway
