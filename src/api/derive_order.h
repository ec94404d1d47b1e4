// `spillway derive`: placement, collectives and order of one schedule.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "api/experiment_input.h"
#include "derive/derive.h"
#include "report/order/derivation.h"

namespace spillway {

struct DeriveArguments {
  ExperimentArguments experiment = {};
  std::string schedule = {};  // empty: that of the order file, else the first
  std::string format = "text";
  std::string out = {};  // folder for the files of chakra; empty: none
};

struct DeriveAnswer {
  Experiment experiment;
  std::size_t schedule;  // of the experiment's
  DerivationFormat format;
  Derived derived;  // as a run plans it, of all its replicas
};

// Throws InputError, also where there are more events than memory.
DeriveAnswer derive_order(const DeriveArguments& arguments);

// What there is to print in its format. Of goal with the prices of the first draw; of chakra, whose files of
// ranks go into `out`, NUMBER.et each, what was written. Throws InputError where one cannot be, or where the
// prices have no such form: replicas that run as one.
void write_answer(std::ostream& out, const DeriveAnswer& answer, const DeriveArguments& arguments);

}  // namespace spillway
