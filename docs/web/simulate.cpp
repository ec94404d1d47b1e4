// The one entry of the module: an experiment in, what report.html shows of its run out.
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "evaluate/evaluate.h"
#include "warn/warnings.h"
#include "input/experiment/experiment.h"
#include "json/dumped.h"
#include "report/run/page_json.h"

namespace spillway {
namespace {

constexpr const char* kName = "the page's settings";

// The same as `run` by the longest path: a document of report/run/page_json.h, whose "report" is that of
// --json.
std::string simulated(const char* text) {
  Engines engines{.run = {Engine::LongestPath}};
  engines.references = true;
  engines.intervals = true;
  const Experiment experiment = parse_experiment(text, kName, {});
  return page_json(warned(evaluate(experiment, engines), experiment, engines));
}

std::string refused(const std::vector<Violation>& violations) {
  nlohmann::json found = nlohmann::json::array();
  for (const Violation& each : violations)
    found.push_back(each.pointer + ": expected " + each.expected + ", found " + each.found);
  return dumped(nlohmann::json{{"refused", found}});
}

std::string answer(const char* text) {
  try {
    return simulated(text);
  } catch (const InputError& bad) {
    return refused(bad.violations());
  } catch (const std::exception& fault) {
    return refused({{"", "/", "what can be simulated", fault.what()}});
  }
}

}  // namespace
}  // namespace spillway

// The text is valid until the next call.
extern "C" const char* simulate(const char* experiment) {
  static std::string last;
  last = spillway::answer(experiment);
  return last.c_str();
}
