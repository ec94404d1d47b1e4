// `spillway run`: every schedule of an experiment, priced, run and compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/experiment_input.h"
#include "evaluate/evaluate.h"

namespace spillway {

struct RunArguments {
  ExperimentArguments experiment = {};
  std::vector<std::string> engines = {};  // none: the default ones
  std::optional<std::uint32_t> draws = {};
  std::optional<std::uint64_t> seed = {};
  bool equal_terms = false;   // every system on the same terms, the most that any has unless it is stated
  bool figures_only = false;  // evaluate/engines.h
};

struct RunAnswer {
  ExperimentInput input;
  Evaluation evaluation;
};

// With balanced pipelines beside what is transposed, and intervals. Throws as evaluate() does.
RunAnswer run(const RunArguments& arguments, const OnDraw& on_draw = {});

}  // namespace spillway
