// The way from a layout to another, change after change: what makes up the difference between them.
#pragma once

#include <cstddef>
#include <vector>

#include "ask/layout_trial.h"

namespace spillway {

// A change and what it makes of the layout.
struct TriedLayout {
  LayoutChange change;
  LayoutTrial trial;
};

struct WayStep {
  // One, or several that no single one can be made without. Each changes the result of the one before it,
  // the first that of the step before.
  std::vector<LayoutChange> changes;
  LayoutTrial trial;  // after them
  double saved;       // by them, of the objective: negative if they cost
};

// Returns the steps from `from` to `to`. Each is the change that gains most of those that are left, on top of
// the steps before it, whether the result fits or not. The last is `to`, with its figures to the last bit.
// `planned` is the schedule of from with stages that the job plans (layout_changes.h). Contract: both can be
// evaluated.
std::vector<WayStep> way_towards(LayoutTrials& trials, const PlanJob& job, const PlanLayout& from,
                                 const PlanLayout& to, std::size_t planned);

}  // namespace spillway
