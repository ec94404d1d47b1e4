// Reads PyTorch's execution traces as JSON (torch.profiler.ExecutionTraceObserver, and PARAM's and Chakra's
// tools): {"schema": "1.1.1-chakra.0.0.4", "nodes": [...]}. Private to src/traces.
//
//   {"id", "name", "ctrl_deps" (to 1.0.1: "parent")}     an operator and its caller; it states no time
//   {"ts", "inclusive_dur", and for the device's work "cat", "stream", "pg_name"}     added by
//                                                         chakra_trace_link, in microseconds
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traces/formats/chakra_nodes.h"

namespace spillway {

// Returns true for the beginning of such a document.
bool begins_execution_trace(std::string_view bytes);

// The nodes form a call stack (chakra_calls.h). Those with a `cat` are the device's. Reads node by node.
// Throws InputError if the JSON is broken or has no nodes, or if no node has a time: the observer's own files
// state what runs, but not when.
std::vector<ChakraNode> read_execution_trace(const std::string& path);

}  // namespace spillway
