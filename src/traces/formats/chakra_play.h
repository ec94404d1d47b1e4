// When the nodes of a Chakra trace run, where it says how long they take and not when. Private to
// src/traces.
//
// A node begins when all that it waits for is done. A receive has the times of its send: the one with the
// same ranks and tag. A collective begins, on all that take part, when the last of them could: the n-th of a
// group on each file belong together. Linear in nodes and edges.
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

// [file][node]. Throws InputError where nodes wait for each other in a circle.
std::vector<std::vector<ChakraTimes>> played(const std::vector<ChakraFile>& files, std::vector<Note>& notes);

}  // namespace spillway
