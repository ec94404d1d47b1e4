// Evaluates single layouts, whatever they hold, beside a search.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ask/layout_changes.h"
#include "evaluate/point.h"
#include "search/layout_rules.h"
#include "search/stage_layers.h"

namespace spillway {

struct LayoutTrial {
  PlanLayout layout;
  std::vector<BrokenRule> rules = {};  // if any, nothing below is known
  std::string refusal = {};            // why it cannot be evaluated; if any, nothing below is known
  Seconds step = {};                   // mean over the draws
  double value = 0;                    // the objective: plan_value.h
  std::optional<Bytes> memory = {};    // the most that a device holds
  std::optional<bool> fits = {};       // into usable_memory()
  std::string limit = {};              // of the job, which it exceeds

  bool is_known() const { return rules.empty() && refusal.empty(); }
};

// Views the job. The figures are those that a search finds for the layout, to the last bit. A layout that is
// asked for again is not evaluated again.
class LayoutTrials {
 public:
  explicit LayoutTrials(const PlanJob& job) : job_(job), layers_(job, caches_.samples) {}

  LayoutTrial operator()(const PlanLayout& layout);
  LayoutTrial operator()(const LayoutChange& change);

  // Contract: the layout breaks no rule.
  Experiment experiment_of(const PlanLayout& layout) { return layers_.experiment_of(layout); }
  StageLayers& layers() { return layers_; }
  // The number of layouts as stated that were asked for.
  std::size_t tried() const { return known_.size(); }
  OrderCache& orders() { return caches_.orders; }

 private:
  LayoutTrial evaluated(const LayoutChange& change);

  const PlanJob& job_;
  Caches caches_;
  StageLayers layers_;
  std::map<PlanLayout, LayoutTrial> known_;  // as stated, on the job's devices
};

}  // namespace spillway
