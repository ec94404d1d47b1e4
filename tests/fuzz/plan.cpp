#include "search/layout.h"
#include "target.h"

namespace spillway::testing {

// The layouts are listed too, because their sizes come from the document.
const Target kPlan("plan", "job.json", [](const std::string& path) { legal_layouts(read_plan_job(path)); });

}  // namespace spillway::testing
