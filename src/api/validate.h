// `spillway validate`: compares the model with measured steps, with a trace, or with a training log.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "api/experiment_input.h"
#include "evaluate/case_classes.h"
#include "evaluate/held_steps.h"
#include "json/source.h"
#include "traces/logs/step_log.h"
#include "traces/profile/job_profile.h"
#include "validate/validation.h"

namespace spillway {

struct ValidateArguments {
  Source measured = "";                   // a table of measured steps, a trace, or a training log
  std::vector<Source> more = {};          // further tables; then all are compared by class
  std::vector<std::string> engines = {};  // for a table
  std::string case_name = {};             // for a table; empty: all
  Source experiment = "";                 // for a trace or a log: the experiment to compare; empty file: none
  std::string platform = {};              // for a trace: file that replaces the experiment's; empty: none
  bool intervals = false;                 // for a table: prediction intervals of the steps
  bool causes = false;                    // for a table: each step without links, and without hosts
  bool explain = false;                   // for a table: what would explain the error of each step
};

// The same of several tables. The result has them in this order.
using ValidatedTables = std::vector<ValidatedCases>;

// A training log, or PyTorch's profile of a job whose passes are not named, with the steps that the
// experiment predicts; none without an experiment.
struct ValidatedLog {
  StepLog log;
  std::vector<HeldStep> predicted;
};
struct ValidatedProfile {
  JobProfile job;
  std::vector<HeldStep> predicted;
};

using ValidateAnswer =
    std::variant<ValidatedCases, ValidatedTables, Validation, ValidatedLog, ValidatedProfile>;
ValidateAnswer validate(const ValidateArguments& arguments);

}  // namespace spillway
