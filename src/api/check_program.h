// `spillway derive --check`: whether a program can block for ever.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/derive_order.h"
#include "program/deadlock.h"
#include "program/program.h"

namespace spillway {

struct CheckArguments {
  DeriveArguments derive = {};                // an experiment, or a program instead of it
  std::string semantics = {};                 // buffered or rendezvous; empty: not given
  std::optional<std::uint32_t> buffers = {};  // for each ordered pair of ranks
};

struct CheckAnswer {
  Program program;
  std::optional<std::uint32_t> buffers;  // none: without bound
  BlockingCheck check;
};

// Reads a program, or lowers an experiment's schedule to one. Sends are rendezvous unless the arguments say
// otherwise. Throws InputError, also for arguments that contradict each other.
CheckAnswer check_program(const CheckArguments& arguments);

}  // namespace spillway
