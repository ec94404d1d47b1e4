// The least values that a search has found of the choices of plan_choice.h. Private to src/search.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "search/layout.h"

namespace spillway {

class ChoiceValues {
 public:
  // As many of the best choices as `shown` are shown.
  ChoiceValues(const PlanJob& job, const std::vector<PlanLayout>& layouts, std::size_t shown);

  // A layout, by its index, has a plan of this value.
  void add(std::size_t layout, double value);

  // Up to this value a layout may be the best of a choice that is shown, or tie with it: a value ties if it
  // is at most `near` times the least.
  double reach(std::size_t layout, double near);

 private:
  double last_shown();

  const std::size_t shown_;
  std::vector<std::size_t> choice_of_;        // by layout
  std::vector<std::optional<double>> least_;  // by choice
  std::optional<double> last_shown_;          // if no value came since it was computed
};

}  // namespace spillway
