// `spillway run`: prices, runs and compares every schedule of an experiment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/experiment_input.h"
#include "evaluate/evaluate.h"
#include "report/run/page_json.h"

namespace spillway {

struct RunArguments {
  ExperimentArguments experiment = {};
  std::vector<std::string> engines = {};  // empty: the default engines
  std::optional<std::uint32_t> draws = {};
  std::optional<std::uint64_t> seed = {};
  bool equal_terms = false;   // all systems on equal terms: the most that any has, unless stated
  bool figures_only = false;  // see evaluate/engines.h
};

struct RunAnswer {
  ExperimentInput input;
  Evaluation evaluation;
};

// Adds balanced pipelines as references for transposed schedules, and intervals. Throws as evaluate() does.
RunAnswer run(const RunArguments& arguments, const OnDraw& on_draw = {});

// The page of the run (report/run/page_json.h), with the measured step of its trace and with the measured
// passes of its job, if there are any.
std::string run_page(const RunAnswer& answer, const ExperimentArguments& arguments);

// The first step of the trace that gives the experiment, for the page. Nothing without a trace, or if its
// order is one that `validate` refuses.
std::optional<TracedStep> measured_step(const ExperimentArguments& arguments);

}  // namespace spillway
