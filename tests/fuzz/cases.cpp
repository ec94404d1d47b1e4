#include "input/experiment/cases.h"

#include "target.h"

namespace spillway::testing {

const Target kCases("cases", "c.json", [](const std::string& path) { CaseFile{path}; });

}  // namespace spillway::testing
