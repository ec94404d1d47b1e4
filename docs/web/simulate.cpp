// The entries of the module: an experiment in, what report.html shows of its run out; and the files that it
// may name.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/error.h"
#include "evaluate/evaluate.h"
#include "given_files.h"
#include "input/experiment/experiment.h"
#include "json/dumped.h"
#include "report/run/page_json.h"
#include "synthesize/synthesize.h"
#include "warn/warnings.h"

namespace spillway {
namespace {

// The same as `run` by the longest path: a document of report/run/page_json.h, whose "report" is that of
// --json.
std::string simulated(const std::string& file, const char* text) {
  Engines engines{.run = {Engine::LongestPath}};
  engines.references = true;
  engines.intervals = true;
  const Experiment experiment = parse_experiment(text, file, {}, Files(given_files()));
  return page_json(warned(evaluate(experiment, engines), experiment, engines));
}

// The page of what `synthesize --effort` finds.
std::string improved(const std::string& file, const char* text, std::uint64_t effort) {
  const Experiment experiment = parse_experiment(text, file, {}, Files(given_files()));
  return synthesis_page(synthesize(experiment, {.effort = effort}));
}

// A violation of another file than the experiment names it.
std::string refused(const std::string& file, const std::vector<Violation>& violations) {
  const std::string shipped = kShipped + std::string("/");
  nlohmann::json found = nlohmann::json::array();
  for (const Violation& each : violations) {
    std::string where = each.file.empty() || each.file == file ? "" : each.file + ": ";
    if (where.compare(0, shipped.size(), shipped) == 0) where.erase(0, shipped.size());
    found.push_back(where + each.pointer + ": expected " + each.expected + ", found " + each.found);
  }
  return dumped(nlohmann::json{{"refused", found}});
}

template <class Work>
std::string answer(const std::string& file, const Work& work) {
  try {
    return work();
  } catch (const InputError& bad) {
    return refused(file, bad.violations());
  } catch (const std::exception& fault) {
    return refused(file, {{"", "/", "what can be simulated", fault.what()}});
  }
}

// Valid until the next call.
const char* kept(std::string text) {
  static std::string last;
  last = std::move(text);
  return last.c_str();
}

}  // namespace
}  // namespace spillway

// `file`: the experiment's path, to which those that it names are relative.
extern "C" const char* simulate(const char* file, const char* experiment) {
  return spillway::kept(spillway::answer(file, [&] { return spillway::simulated(file, experiment); }));
}

extern "C" const char* improve(const char* file, const char* experiment, int effort) {
  return spillway::kept(spillway::answer(
      file, [&] { return spillway::improved(file, experiment, static_cast<std::uint64_t>(effort)); }));
}

extern "C" void forget() {
  spillway::forget_files();
}

extern "C" void give(const char* path, const char* text) {
  spillway::give_file(path, text);
}
