#include "traces/logs/step_log.h"

#include "target.h"

namespace spillway::testing {

const Target kStepLog("step_log", "train.log", [](const std::string& path) { step_log(path); });

}  // namespace spillway::testing
