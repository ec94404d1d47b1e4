// What `spillway derive` prints: placement, collectives and order.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "derive/derive.h"
#include "schedule/action_list.h"

namespace spillway {

// Goal and Chakra need prices: goal.h, chakra.h.
enum class DerivationFormat { Text, Json, Dot, GraphMl, Csv, Goal, Chakra };

// text, json, dot, graphml, csv, goal, chakra.
std::optional<DerivationFormat> derivation_format_from(std::string_view name);

// Linear in the events and edges; events print as in the paper, each rank's as rank_lists() has them
// (order/rank_lists.h). dot and graphml hold the order alone, csv what derivation_csv says. Contract: a
// format without prices.
void write_derivation(std::ostream& out, const Derived& derived, DerivationFormat format);

// The single formats. JSON: a rank may own several layer ranges; stages have the paper's stage_index and, as
// events name them, their place in the region; edges name their events.
void write_derivation_json(std::ostream& out, const Derived& derived);
void write_derivation_text(std::ostream& out, const Derived& derived);

// What each rank computes of the pipelined regions, in the order of execution, as PyTorch's action lists.
// Stages are numbered along the pipeline from 0 through all its regions; of a bidirectional region the second
// copy follows the first. What a rank computes of transposed regions has no such form and is left out.
ActionLists action_lists_of(const Derived& derived);

// The derivation as text. How many layers the stages hold (stated_layers.h) is said unless they share the
// whole model out as evenly as can be, which is what a reader takes where nothing is said.
std::string derivation_csv(const Derived& derived);

}  // namespace spillway
