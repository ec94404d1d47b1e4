// Finds when the nodes of a Chakra trace run, if it states their durations but no start times. Private to
// src/traces.
//
// A node begins when all nodes that it depends on are done. A receive has the times of its send, which has
// the same ranks and tag. A collective begins on all participants when the last of them is ready: the n-th of
// a group on each file belong together. Linear in nodes and edges.
#pragma once

#include <string>
#include <vector>

#include "base/quantity.h"
#include "traces/files/note.h"
#include "traces/formats/chakra_nodes.h"

namespace spillway {

struct ChakraFile {
  std::string path;
  std::string number;  // of its rank, as transfers name it
  std::vector<ChakraNode> nodes;
};

struct ChakraTimes {
  Seconds start;
  Seconds end;
};

// Returns times as [file][node]. Throws InputError if nodes wait for each other in a cycle.
std::vector<std::vector<ChakraTimes>> played(const std::vector<ChakraFile>& files, std::vector<Note>& notes);

}  // namespace spillway
