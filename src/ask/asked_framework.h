// Chooses the framework of a layout. A cluster with several is one cluster of the job for each of them.
// Private to src/ask.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ask/asked_layout.h"

namespace spillway {

struct ChosenFramework {
  std::size_t cluster;
  std::string why;  // a sentence without a full stop
};

// Returns the cluster whose framework trains the layout best. A framework that holds the layout in memory
// comes before others, then one that can launch it, then the fastest. Contract: `clusters` are one stated
// cluster under at least one framework.
ChosenFramework choose_framework(const PlanJob& job, PlanLayout layout,
                                 const std::vector<std::size_t>& clusters);

// Puts the layout of an experiment under its own framework, `own`. If the clusters lack it, one that prices
// every layout alike takes its place, or else choose_framework() decides. A note says what differs from the
// experiment.
void take_own_framework(AskedLayout& asked, const Framework& own, const std::vector<std::size_t>& clusters);

// Returns the clusters of the job that are this stated cluster, one for each framework, without its bound.
std::vector<std::size_t> clusters_alike(const PlanJob& job, std::size_t cluster);

}  // namespace spillway
