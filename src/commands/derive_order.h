// `spillway derive`: placement, collectives and order of one schedule.
#pragma once

#include <string>

#include "commands/experiment_input.h"
#include "derive/derive.h"
#include "report/order/derivation.h"

namespace spillway {

struct DeriveArguments {
  ExperimentArguments experiment = {};
  std::string schedule = {};  // empty: that of the order file, else the first
  std::string format = "text";
};

struct DeriveAnswer {
  Experiment experiment;
  std::size_t schedule;  // of the experiment's
  DerivationFormat format;
  Derived derived;  // as a run plans it, of all its replicas
};

// Throws InputError, also where there are more events than memory.
DeriveAnswer derive_order(const DeriveArguments& arguments);

}  // namespace spillway
