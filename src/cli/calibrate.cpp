#include "sweep/calibrate.h"

#include <iostream>

#include "cli/arguments.h"
#include "report/validation_table.h"

namespace spillway {

int calibrate_command(const CasesArguments& arguments) {
  const CaseFile file(arguments.file);
  write_calibration(std::cout, file.table(), calibrate(file, engines_from(arguments.engines)));
  return 0;
}

}  // namespace spillway
