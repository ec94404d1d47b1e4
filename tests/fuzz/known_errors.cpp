#include "search/known_error.h"
#include "target.h"

namespace spillway::testing {

const Target kKnownErrors("known_errors", "e.json",
                          [](const std::string& path) { read_known_errors(path, Files()); });

}  // namespace spillway::testing
