// Layouts evaluated from scratch, and their bounds held below.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "search/bounds.h"
#include "search/layout.h"
#include "sweep/run/refused_point.h"
#include "warn/warnings.h"

namespace spillway {

inline Seconds mean(const ScheduleOutcome& schedule) {
  Seconds sum;
  for (const Seconds step : schedule.makespans) sum += step;
  return sum / static_cast<double>(schedule.makespans.size());
}

// The search asks for no evidence (layout_evaluator.h).
inline PointOutcome without_evidence(PointOutcome outcome) {
  for (ScheduleOutcome& schedule : outcome.schedules) schedule.evidence.reset();
  return outcome;
}

// Prices each layout from scratch, whether it fits or not, but only once.
class FromScratch {
 public:
  FromScratch(const PlanJob& job, const std::vector<PlanLayout>& layouts)
      : layouts_(layouts), layers_(job, caches_.samples), known_(layouts.size()) {}

  const PointOutcome& operator()(std::size_t index) {
    std::optional<PointOutcome>& outcome = known_[index];
    if (!outcome)
      outcome = without_evidence(
          outcome_or_refusal([&] { return warned_point(layers_.experiment_of(layouts_[index]), caches_); }));
    return *outcome;
  }

  StageLayers& layers() { return layers_; }

 private:
  const std::vector<PlanLayout>& layouts_;
  Caches caches_;
  StageLayers layers_;
  std::vector<std::optional<PointOutcome>> known_;  // by layout
};

inline void expect_bounds(const PlanJob& job, const std::vector<PlanLayout>& layouts,
                          FromScratch& evaluator) {
  LayoutBounds bounds(job, evaluator.layers());
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const PointOutcome& outcome = evaluator(i);
    if (!outcome.refusal.empty()) continue;
    const double step = mean(outcome.schedules[0]).value(),
                 memory = outcome.schedules[0].peak_memory->value();
    const std::string& text = job.search.schedules[layouts[i].schedule].text;
    const Seconds rough = bounds.rough_step(layouts[i]), fine = bounds.step(layouts[i]);
    ASSERT_LE(rough, fine) << text;
    ASSERT_LE(fine.value(), step * (1 + 1e-12))
        << experiment_text(job, layouts[i], evaluator.layers().experiment_of(layouts[i]).schedules[0]);
    ASSERT_LE(bounds.rough_memory(layouts[i]), bounds.memory(layouts[i])) << text;
    ASSERT_LE(bounds.memory(layouts[i]).value(), memory * (1 + 1e-12))
        << experiment_text(job, layouts[i], evaluator.layers().experiment_of(layouts[i]).schedules[0]);
  }
}

inline void expect_bounds(const PlanJob& job) {
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  FromScratch evaluator(job, layouts);
  expect_bounds(job, layouts, evaluator);
}

}  // namespace spillway
