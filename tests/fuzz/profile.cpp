#include "target.h"
#include "traces/profile/job_profile.h"

namespace spillway::testing {

const Target kProfile("profile", "t.json", [](const std::string& path) { job_profile(path); });

}  // namespace spillway::testing
