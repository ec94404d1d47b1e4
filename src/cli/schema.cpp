#include "spec/json/schema.h"

#include <iostream>

#include "cli/arguments.h"

namespace spillway {

int schema(const std::string& kind) {
  const auto text = json_schema(kind);
  if (!text)
    refuse_argument("KIND", "cases, experiment, platform, report, sweep, validation or validation-cases",
                    '"' + kind + '"');
  std::cout << *text;
  return 0;
}

}  // namespace spillway
