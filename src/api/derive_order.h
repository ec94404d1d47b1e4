// `spillway derive`: the placement, the collectives and the order of one schedule.
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
  std::string schedule = {};  // empty: the schedule of the order file, else the first
  std::string format = "text";
  std::string out = {};  // folder for chakra's files; empty: none
};

struct DeriveAnswer {
  Experiment experiment;
  std::size_t schedule;  // index in the experiment
  DerivationFormat format;
  Derived derived;  // as a run plans it, with all its replicas
};

// Throws InputError, also if the events do not fit in memory.
DeriveAnswer derive_order(const DeriveArguments& arguments);

// Prints the answer in its format. goal has the prices of the first draw. chakra writes the file NUMBER.et
// for each rank into `out`, and prints what was written. Throws InputError if a file cannot be written, or if
// the prices have no such form: replicas that run as one.
void write_answer(std::ostream& out, const DeriveAnswer& answer, const DeriveArguments& arguments);

}  // namespace spillway
