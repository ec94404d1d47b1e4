// What a document may have beside what it is drawn with: an extra is tried in one of so many documents, and
// stays where the document is an experiment with it. Private to tests/laws.
#pragma once

#include <cstdint>
#include <vector>

#include "documents.h"

namespace spillway::testing {

struct Extra {
  void (*add)(Json&);
  std::uint32_t one_in;
};

// Of documents with architectures on a platform.
std::vector<Extra> analytic_extras();

}  // namespace spillway::testing
