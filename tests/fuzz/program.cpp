#include "program/read_program.h"

#include "target.h"

namespace spillway::testing {

const Target kProgram("program", "p.json", [](const std::string& path) { read_program(path); });

}  // namespace spillway::testing
