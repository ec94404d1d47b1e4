#include "execute/execution.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {

const PlayedStep& PlayedProgram::median() const {
  ensure(!steps.empty(), "an execution has a step");
  std::vector<const PlayedStep*> by_length;
  for (const PlayedStep& step : steps) by_length.push_back(&step);
  std::stable_sort(by_length.begin(), by_length.end(),
                   [](const PlayedStep* a, const PlayedStep* b) { return a->length < b->length; });
  return *by_length[(by_length.size() - 1) / 2];
}

}  // namespace spillway
