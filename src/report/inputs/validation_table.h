// Measured steps beside predicted ones: a table for people, spillway/validation-cases/1 for programs.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "evaluate/case_fits.h"
#include "evaluate/run_cases.h"

namespace spillway {

// One line per case with its signed errors, fitted cases marked; then the errors over the cases not fitted
// and over the fitted ones, and the assumptions.
void write_validation(std::ostream& out, const CaseTable& table, const std::vector<CaseResult>& cases);

// The answer in a sentence: how far off the steps are that nothing was fitted to.
std::string verdict(const std::vector<CaseResult>& cases);

// One JSON document, seconds and bytes, ended by a newline. Same cases, same bytes.
std::string validation_json(const CaseTable& table, const std::vector<CaseResult>& cases);

// The values to write into the file, and what the fitted cases are off by with them.
void write_case_fits(std::ostream& out, const CaseTable& table, const CaseFits& fits);

}  // namespace spillway
