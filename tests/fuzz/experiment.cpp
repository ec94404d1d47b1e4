#include "input/experiment/experiment.h"

#include "target.h"

namespace spillway::testing {

const Target kExperiment("experiment", "x.json", [](const std::string& path) { read_experiment(path, {}); });

}  // namespace spillway::testing
