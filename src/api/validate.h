// `spillway validate`: the model held against measured steps, or against a trace.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "api/experiment_input.h"
#include "evaluate/run_cases.h"
#include "json/source.h"
#include "validate/validation.h"

namespace spillway {

struct ValidateArguments {
  Source measured = "";                   // a table of measured steps, or a trace
  std::vector<std::string> engines = {};  // of a table
  std::string case_name = {};             // of a table; empty: all
  Source experiment = "";                 // what a trace is held against; of an empty file: none
  std::string platform = {};              // of a trace: file that replaces the experiment's; empty: none
  bool intervals = false;                 // of a table: how long each step may be
  bool causes = false;                    // of a table: what each step would be without links, without hosts
};

struct ValidatedCases {
  CaseTable table;
  std::vector<CaseResult> cases;
};

using ValidateAnswer = std::variant<ValidatedCases, Validation>;
ValidateAnswer validate(const ValidateArguments& arguments);

}  // namespace spillway
