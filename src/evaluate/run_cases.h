// Compares measured training steps with the model: evaluates every case of a table, and fits parameters to
// cases.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error_summary.h"
#include "evaluate/case_job.h"
#include "evaluate/evaluate.h"
#include "evaluate/step_interval.h"
#include "input/experiment/cases.h"

namespace spillway {

// The time of a predicted step without one of its causes.
struct StepCauses {
  Seconds
      without_communication;  // collectives inside passes take no time, and links are almost infinitely fast
  Seconds without_hosts;      // kernels and messages are issued in no time
};

// The settings that would explain the difference between a predicted and a measured step (explain/gap.h).
struct CaseExplanation {
  std::string verdict;                 // in a sentence
  std::string setting;                 // the best single one in words; empty: none changes the step
  std::vector<Setting> settings = {};  // as --set takes them
  double closes = 0;                   // share of the gap
  double plausibility = 0;
};

struct CaseResult {
  MeasuredCase measured;
  Seconds step;                               // predicted: the mean makespan over the draws
  std::optional<Bytes> memory;                // predicted, of the device that holds the most in any draw
  std::optional<StepInterval> interval = {};  // set if it was asked for and there is a platform
  std::optional<StepCauses> causes = {};      // likewise
  std::optional<Bytes> limit = {};            // the memory of a device
  std::optional<CaseJob> job = {};            // set by run_cases(), if there is a platform
  std::optional<CaseExplanation> explanation = {};  // set by who asks for it

  // Relative and signed, predicted minus measured. Empty if either is not known.
  std::optional<double> error() const;
  std::optional<double> blind_error() const;  // of the prediction made before the step was measured
  std::optional<double> memory_error() const;
  // Returns true if the interval contains the measured step. Empty if either is not known.
  std::optional<bool> holds() const;
  // Returns how much of the memory the predicted peak takes. Empty if either is not known.
  std::optional<double> memory_share() const;
};

// Runs one case. Throws Infeasible, with the case's name, if it fits no device. What a case leaves open (its
// bubble, whether its transfers share links) comes from `engines`, never from a formula. `base` is that of
// CaseFile::experiment.
CaseResult run_case(const CaseFile& file, std::size_t index, const Engines& engines, OrderCache& orders,
                    const std::vector<Setting>& base = {});
// Runs all cases, or case `only`. With `causes`, each is evaluated again without communication, and without
// hosts.
std::vector<CaseResult> run_cases(const CaseFile& file, const Engines& engines,
                                  std::optional<std::size_t> only = {}, bool causes = false);

// Errors of the cases that nothing was fitted to, sorted by the share that a cause has of their predicted
// steps. Errors that follow the cause differ between the two halves, even if they cancel over all cases. With
// an odd number of cases, the middle one is in neither half.
struct CauseErrors {
  double share;                    // mean share of the predicted steps
  double least_share, least_bias;  // means over the half with the least share
  double greatest_share, greatest_bias;
};
// Empty for fewer than two cases.
std::optional<CauseErrors> errors_by(Seconds StepCauses::*without, const std::vector<CaseResult>& cases);

// The number of cases that nothing was fitted to, and of those whose interval contains the measured step.
// Empty if there are none.
struct Coverage {
  std::size_t held;
  std::size_t of;
};
std::optional<Coverage> coverage(const std::vector<CaseResult>& cases);

// Errors of the times, or of the memory, of the cases that are `fitted`, or of the others. Empty if there are
// none.
std::optional<ErrorSummary> time_errors(const std::vector<CaseResult>& cases, bool fitted);
std::optional<ErrorSummary> blind_errors(const std::vector<CaseResult>& cases);
std::optional<ErrorSummary> memory_errors(const std::vector<CaseResult>& cases, bool fitted);

// The predicted memory held against runs whose end is known.
struct MemoryVerdicts {
  std::size_t ran;            // runs that did not run out of memory
  std::size_t too_large;      // of these, the ones that are predicted not to fit
  std::size_t far_too_large;  // of these, the ones predicted above the memory by more than kFarTooLarge
  std::size_t ran_out;        // runs that ran out of memory
  std::size_t too_small;      // of these, the ones that are predicted to fit
};
inline constexpr double kFarTooLarge = 0.05;
// Cases without a known memory count nowhere.
MemoryVerdicts memory_verdicts(const std::vector<CaseResult>& cases);

struct CaseFits {
  struct Parameter {
    std::string pointer;
    double value;
  };
  std::vector<Parameter> parameters;  // in the order of the table
  std::vector<CaseResult> cases;      // the fitted cases, at these values
};

// Returns the values, within their bounds, with the least mean squared relative error of the fitted cases'
// times. Throws InputError if the table names no parameter or marks no case.
CaseFits fit_cases(const CaseFile& file, const Engines& engines);

}  // namespace spillway
