// `spillway synthesize`: an order of passes that nobody wrote, with a bound.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/experiment_input.h"
#include "synthesize/synthesize.h"

namespace spillway {

struct SynthesizeArguments {
  ExperimentArguments experiment = {};
  std::uint64_t effort = SynthesisRequest().effort;
  std::optional<double> seconds = {};  // stop after this time; empty: never
  std::optional<double> memory = {};   // bytes of a device; empty: as the experiment states it
  std::uint64_t seed = SynthesisRequest().seed;
  std::uint64_t per_draw = 0;                 // orders to try for each draw, from its own sizes; 0: none
  std::optional<std::string> skeletons = {};  // of the framework: "1f1b,zb-h1"; empty: all
};

struct SynthesizeAnswer {
  Synthesis synthesis;
  std::string program;  // the found schedule as spillway/program/1; empty: it has no such form
  std::vector<std::string> draw_programs = {};  // the same of each draw's own plan, if these were asked for
};

// Stops early after the stated time, and at Ctrl-C. Throws as synthesize() does.
SynthesizeAnswer synthesize(const SynthesizeArguments& arguments);

}  // namespace spillway
