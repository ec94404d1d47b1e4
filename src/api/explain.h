// `spillway explain`: shows where the time of a step goes, and what would help.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/experiment_input.h"
#include "evaluate/evaluation.h"
#include "explain/explanation.h"

namespace spillway {

struct ExplainArguments {
  ExperimentArguments experiment = {};
  std::string case_name = {};             // of a table, which `experiment` then names; empty: none
  std::string schedule = {};              // empty: all
  std::optional<double> measured_s = {};  // a measured step, to be explained
};

struct ExplainAnswer {
  std::unique_ptr<const Evaluation> evaluation;
  Explanation explanation;  // of `evaluation`
};

// Returns which single settings would close the gap between the predicted and the measured step of a case.
// Contract: the case was measured.
GapAccount explain_case(const CaseFile& table, std::size_t index);

// Throws as evaluate() does.
ExplainAnswer explain(const ExplainArguments& arguments);

}  // namespace spillway
