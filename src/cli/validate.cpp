#include <iostream>

#include "cli/arguments.h"
#include "report/validation_table.h"

namespace spillway {

int validate(const CasesArguments& arguments) {
  const Engines engines = engines_from(arguments.engines);
  const CaseFile file(arguments.file);
  const std::vector<CaseResult> cases = run_cases(file, engines);
  if (arguments.json) {
    std::cout << validation_json(file.table(), cases);
  } else {
    write_validation(std::cout, file.table(), cases);
  }
  return 0;
}

}  // namespace spillway
