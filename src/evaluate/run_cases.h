// Measured training steps held against the model: every case of a table evaluated.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error_summary.h"
#include "evaluate/evaluate.h"
#include "evaluate/step_interval.h"
#include "input/experiment/cases.h"

namespace spillway {

// How long a predicted step would be without one of its causes.
struct StepCauses {
  Seconds without_communication;  // collectives inside passes for nothing, every link next to infinitely fast
  Seconds without_hosts;          // kernels and messages issued for nothing
};

struct CaseResult {
  MeasuredCase measured;
  Seconds step;                               // predicted: the mean makespan over the draws
  std::optional<Bytes> memory;                // predicted, of the device that holds the most in any draw
  std::optional<StepInterval> interval = {};  // where it was asked for and there is a platform
  std::optional<StepCauses> causes = {};      // likewise

  // Relative, signed; nothing where either is not known.
  std::optional<double> error() const;
  std::optional<double> blind_error() const;  // of what was predicted before it was measured
  std::optional<double> memory_error() const;
  // Does the interval hold what was measured? Nothing where either is not known.
  std::optional<bool> holds() const;
};

// Throws Infeasible, the case named, where one fits no device. What a case leaves open (its bubble, whether
// its transfers share links) comes from `engines`, never from a formula. `base` as in CaseFile::experiment.
CaseResult run_case(const CaseFile& file, std::size_t index, const Engines& engines, OrderCache& orders,
                    const std::vector<Setting>& base = {});
// `only`: that case alone; `causes`: each is evaluated again without communication, and without hosts.
std::vector<CaseResult> run_cases(const CaseFile& file, const Engines& engines,
                                  std::optional<std::size_t> only = {}, bool causes = false);

// Of cases that nothing was fitted to, in the order of what a cause takes of their predicted steps: errors
// that follow the cause differ between the halves, and may cancel over all. Of an odd number the middle one
// is in neither.
struct CauseErrors {
  double share;                    // of the predicted steps, mean
  double least_share, least_bias;  // of the half that the cause takes least of, means
  double greatest_share, greatest_bias;
};
// Nothing of fewer than two cases.
std::optional<CauseErrors> errors_by(Seconds StepCauses::*without, const std::vector<CaseResult>& cases);

// Of cases that nothing was fitted to: how many intervals hold what was measured. Nothing where there are
// none.
struct Coverage {
  std::size_t held;
  std::size_t of;
};
std::optional<Coverage> coverage(const std::vector<CaseResult>& cases);

// Of the times, or of the memory, of the cases that are `fitted`, or of the others. Nothing where there are
// none.
std::optional<ErrorSummary> time_errors(const std::vector<CaseResult>& cases, bool fitted);
std::optional<ErrorSummary> blind_errors(const std::vector<CaseResult>& cases);
std::optional<ErrorSummary> memory_errors(const std::vector<CaseResult>& cases, bool fitted);

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
