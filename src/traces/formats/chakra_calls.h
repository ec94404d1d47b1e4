// Finds what passes of a call stack launched on the device. Private to src/traces.
#pragma once

#include <optional>
#include <vector>

#include "traces/formats/chakra_nodes.h"
#include "traces/formats/chakra_play.h"

namespace spillway {

// Returns true if the nodes' control dependencies are a call stack (chakra_nodes.h).
bool is_call_stack(const std::vector<ChakraNode>& nodes);

// Returns true for an operator of the host in a call stack.
bool is_host_node(const ChakraNode& node);

// Returns, for each node, the time from the first to the last of the device's nodes below it, if the host
// names it as a pass. Of passes in each other, the innermost has them. Empty for all other nodes, and for
// passes whose kernels another thread launched, as autograd's does. Linear.
std::vector<std::optional<ChakraTimes>> spans_of_passes(const std::vector<ChakraNode>& nodes,
                                                        const std::vector<ChakraTimes>& times);

}  // namespace spillway
