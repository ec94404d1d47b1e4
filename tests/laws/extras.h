// Optional parts of a document: an extra is tried in one of `one_in` documents, and stays if the document is
// an experiment with it. Private to tests/laws.
#pragma once

#include <cstdint>
#include <vector>

#include "documents.h"

namespace spillway::testing {

struct Extra {
  void (*add)(Json&);
  std::uint32_t one_in;
};

// Returns the extras of documents with architectures on a platform.
std::vector<Extra> analytic_extras();

}  // namespace spillway::testing
