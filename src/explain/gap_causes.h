// The settings that may explain why a measured step is longer or shorter than the predicted one: what the
// experiment leaves open (software, images, recomputation, padding, overlap), and what no datasheet states
// (slower hosts, rates, links, a straggler, a late data loader). docs/explain.md has the published values and
// their sources; tests/explain/gap_causes_test.cpp compares the two lists.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "experiment/experiment.h"
#include "json/node.h"
#include "json/settings.h"

namespace spillway {

// How plausible a setting is. Stated: the experiment states otherwise, or the setting does not fit into the
// memory in which the step ran. Between: nobody states it, but its value has not been published, or it is
// another variant of the stated software. Open: nobody states it.
inline constexpr double kStatedPlausibility = 0.1, kBetweenPlausibility = 0.5, kOpenPlausibility = 1;
// A value counts as published if it is within this share of a published one.
inline constexpr double kNearPublished = 0.02;

// A number that is solved for the measured step.
struct GapScale {
  double now;     // changes nothing
  double slower;  // the ends of the range that has been published
  double faster;
  std::vector<double> published;
  bool is_speed;  // a step then grows with 1 / value
};

struct GapCause {
  std::string words;              // "full recomputation of llm"; with a scale, {} is the value
  std::string statement;          // the key that states it; empty: nobody does
  double plausibility;            // of words; of numbers, at a published value
  std::vector<Setting> settings;  // without a scale
  std::optional<GapScale> scale = {};
  std::function<std::vector<Setting>(double)> at = {};  // the settings of a value of the scale
};

// Returns the causes to try on the experiment's only schedule. Some may have no effect, or be impossible.
// `document` is the experiment as written, with its settings; `busiest` the rank that computes longest, which
// a straggler hurts most. It is one of the ranks that are tried for one.
std::vector<GapCause> gap_causes(const Experiment& experiment, const Node& document, RankId busiest);

}  // namespace spillway
