#include "input/platform/operator_table.h"
#include "target.h"

namespace spillway::testing {

const Target kOperators("operators", "o.csv", [](const std::string& path) {
  OperatorTables tables;
  read_operator_table(path, tables);
});

}  // namespace spillway::testing
