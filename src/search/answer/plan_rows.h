// Folds evaluated plans into the choices that a person has, and chooses the plan that leads. Test:
// tests/search/plan_rows_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "search/search.h"

namespace spillway {

// A choice (plan_choice.h). Its plans that cannot be told apart from its best are folded into one row: into
// the simplest that can be launched. Numbers are indices of SearchResult::plans.
struct PlanRow {
  std::size_t shown;
  std::vector<std::size_t> folded;  // the others, best first
};

// The best on a number of a stated cluster's devices, under any of its frameworks.
struct DevicesBest {
  std::size_t stated;  // JobCluster::stated
  std::uint32_t devices;
  std::size_t optimum;  // index of a plan: no layout on these devices is better
  std::size_t row;      // the row that leads on these devices
  bool of_cluster;      // no other number of the cluster's devices has a better optimum
};

struct PlanRows {
  // The row that leads on the devices of the best plan. Then, by their values, so many of the best choices
  // that these are `top` together, those that lead on other devices, and that of the best plan to launch, if
  // the first row cannot be launched.
  std::vector<PlanRow> rows;
  std::vector<DevicesBest> bests;   // by cluster and devices
  std::optional<std::size_t> next;  // plan of the best choice besides those of row 0 and of its optimum
  std::size_t tied;  // choices whose plan ties with the best of all, whether they are rows or not
};

// Returns true if a framework of its cluster can express the plan.
using CanLaunch = std::function<bool(std::size_t plan)>;

// On some devices, that row leads which is the simplest of those that can be launched and cannot be told
// apart from the optimum. Without one that can be launched, it is the simplest. Of equally simple rows it is
// the best. `to_launch` is the best plan that a framework can launch. Contract: `plans` are those of a search
// with this `top`, and there is one.
PlanRows rows_of(const PlanJob& job, const std::vector<EvaluatedPlan>& plans, std::size_t top,
                 const CanLaunch& can_launch, std::optional<std::size_t> to_launch = {});

}  // namespace spillway
