// Measured and predicted steps: a table for people, spillway/validation-cases/1 for programs.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "evaluate/run_cases.h"

namespace spillway {

// Writes one line for each case with its signed errors, and marks fitted cases. Then it writes the errors
// over the cases that were not fitted and over the fitted ones, and the assumptions.
void write_validation(std::ostream& out, const CaseTable& table, const std::vector<CaseResult>& cases);

// Returns the answer in a sentence: the errors of the cases that no parameter was fitted to, or of the fitted
// ones if there are no others.
std::string verdict(const std::vector<CaseResult>& cases);

// Returns one JSON document in seconds and bytes, ended by a newline. The same cases give the same bytes.
std::string validation_json(const CaseTable& table, const std::vector<CaseResult>& cases);

// Writes the fitted values, to be copied into the file, and the errors of the fitted cases with these values.
void write_case_fits(std::ostream& out, const CaseTable& table, const CaseFits& fits);

}  // namespace spillway
