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

// Of clusters that are one stated cluster under several frameworks, returns that which would train the layout
// best: it holds it in memory, can launch it, and is the fastest. What comes first in this list decides.
// Contract: there are clusters, and all offer the layout's devices or none does.
ChosenFramework choose_framework(const PlanJob& job, PlanLayout layout,
                                 const std::vector<std::size_t>& clusters);

// Puts the layout of an experiment, which states `own`, onto one of these clusters (above): that which has
// its framework, or one that prices every layout alike, or else the chosen one. Notes what is not as the
// experiment states it.
void take_own_framework(AskedLayout& asked, const Framework& own, const std::vector<std::size_t>& clusters);

// The clusters of the job that are this one, under each of its frameworks. Bounds are none.
std::vector<std::size_t> clusters_alike(const PlanJob& job, std::size_t cluster);

}  // namespace spillway
