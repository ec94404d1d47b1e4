// The layouts that come nearest to a plan, and the sentence that says why none is one. Private to src/search.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "search/plan_value.h"

namespace spillway {

struct Misfit {
  PlanLayout layout;
  Bytes memory, beyond;
};

// What is known of some layouts that are no plans.
struct NearestLayouts {
  std::optional<Misfit> misfit = {};      // of least excess
  std::optional<BrokenLimit> limit = {};  // the nearest
  std::size_t refused = 0, unlaunchable = 0;
  std::string first_refused = {}, first_unlaunchable = {};  // the layout and the reason

  void add(const Misfit& one);
  void add(const BrokenLimit& one);
  void add_refused(const std::string& one);
  void add_unlaunchable(const std::string& one);
  void add(const NearestLayouts& others);
};

// "HGX H100 under nemo with 16 devices, P=2 TP=1 CP=1 EP=1, 1f1b"
std::string layout_name(const PlanJob& job, const PlanLayout& layout);

// Returns why none of these layouts is a plan.
std::string refusal_of(const PlanJob& job, const NearestLayouts& layouts);

}  // namespace spillway
