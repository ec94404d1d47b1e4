// Whether the framework of a layout's cluster can express it: a launch is written for it (launch/write).
// Private to src/search.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "search/layout.h"
#include "search/stage_layers.h"

namespace spillway {

// Several threads may call it.
class LaunchCheck {
 public:
  // Contract: both outlive it.
  LaunchCheck(const PlanJob& job, StageLayers& layers);

  // Returns why the layout cannot be launched. Empty if it can.
  std::string reason(const PlanLayout& layout);

  // Returns the reason that all layouts of the cluster with this schedule share, whatever their sizes: no
  // launch is written for the framework, or none expresses the workload, the blocks or the schedule. Empty if
  // there is none: some may be launched.
  const std::string& reason_of_all(const PlanLayout& layout) const;

 private:
  const PlanJob& job_;
  StageLayers& layers_;
  std::map<std::pair<std::size_t, std::size_t>, std::string> of_all_;  // by cluster and schedule
};

}  // namespace spillway
