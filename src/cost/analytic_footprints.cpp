#include "cost/analytic_footprints.h"

#include <algorithm>
#include <utility>

namespace spillway {

bool uniform_on(const StageSlabs& stages, const DrawLoads& loads, StageId stage) {
  return std::ranges::all_of(stages.parts(stage), [&](const StageSlabs::Part& part) {
    return !stages.block(part).over_patches() && loads.kinds().size() == 1;
  });
}

AnalyticFootprints::AnalyticFootprints(const AnalyticCosts& costs, const Outline& outline,
                                       std::shared_ptr<const StageSlabs> stages,
                                       std::shared_ptr<const DrawLoads> loads)
    : stages_(std::move(stages)),
      loads_(std::move(loads)),
      seams_(costs, outline, stages_, loads_),
      states_(stage_states(outline, *stages_)),
      placeholders_(gradient_placeholders(outline, *stages_)) {}

}  // namespace spillway
