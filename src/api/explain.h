// `spillway explain`: shows where the time of a step goes, and what would help.
#pragma once

#include <memory>
#include <string>

#include "api/experiment_input.h"
#include "evaluate/evaluation.h"
#include "explain/explanation.h"

namespace spillway {

struct ExplainArguments {
  ExperimentArguments experiment = {};
  std::string case_name = {};  // of a table, which `experiment` then names; empty: none
  std::string schedule = {};   // empty: all
};

struct ExplainAnswer {
  std::unique_ptr<const Evaluation> evaluation;
  Explanation explanation;  // of `evaluation`
};

// Throws as evaluate() does.
ExplainAnswer explain(const ExplainArguments& arguments);

}  // namespace spillway
