#include "timing/stages_with.h"

namespace spillway {

std::vector<bool> stages_with(const Derived& derived, Role role) {
  std::vector<bool> with;
  for (const Stage& stage : derived.stages) with.push_back(derived.holds(stage, role));
  return with;
}

}  // namespace spillway
