// `spillway execute`: plays a program on the processes of an MPI job.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "execute/job.h"
#include "json/source.h"

namespace spillway {

struct ExecuteArguments {
  Source program = "";
  double time_scale = 1;
  std::uint32_t steps = 1;
  double patience_s = 10;
  std::function<void(const std::string&)> say = {};  // prints why a program that blocks is ended
  std::string out = {};                              // folder for trace.csv; empty: none
};

struct ExecuteAnswer {
  Program program;
  PlayedProgram execution;
};

// All processes of the job call it. Returns nothing on others than rank 0. Throws InputError, the same on all
// ranks, before anything is played.
std::optional<ExecuteAnswer> execute(const ExecuteArguments& arguments);

}  // namespace spillway
