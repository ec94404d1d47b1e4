// The parameters of a table of measured steps, fitted to the cases that are marked for it.
#pragma once

#include <string>
#include <vector>

#include "evaluate/run_cases.h"

namespace spillway {

struct CaseFits {
  struct Parameter {
    std::string pointer;
    double value;
  };
  std::vector<Parameter> parameters;  // in the order of the table
  std::vector<CaseResult> cases;      // the fitted ones, at these values
};

// The values that make the mean squared relative error of the fitted cases' times least, each within its
// bounds. Throws InputError where the table names no parameter or marks no case.
CaseFits fit_cases(const CaseFile& file, const Engines& engines);

}  // namespace spillway
