// What commands share: an experiment with its settings, engines, names in it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evaluate/evaluate.h"
#include "explain/schedule_alone.h"
#include "input/experiment/cases.h"
#include "input/experiment/experiment.h"
#include "json/source.h"

namespace spillway {

// What `run`, `derive` and `explain` share: an experiment, or none where there is a trace, and changes to it.
struct ExperimentArguments {
  Source source = "";                  // of an empty file: none
  std::vector<std::string> sets = {};  // /pointer=value
  std::string order = {};              // CSV file of one more schedule; empty: none
  std::string workload = {};  // trace to make the experiment from, `source` laid over it; empty: none
};

// A violation of the command line rather than of a file.
[[noreturn]] void refuse_argument(const std::string& option, const std::string& expected,
                                  const std::string& found);

// "/json/pointer=value" of an option.
Setting setting_from(const std::string& option, const std::string& text);

std::vector<Setting> settings_from(const std::vector<std::string>& sets);

struct ExperimentInput {
  Experiment experiment;
  std::string file;      // what messages call it
  std::string document;  // made from a trace, settings and all; empty: the file is the document
};
ExperimentInput read_input(const ExperimentArguments& arguments, const std::vector<Setting>& more = {});

Experiment read_experiment(const ExperimentArguments& arguments);

// The experiment of one of its schedules alone, that of --order included, which is the last.
Experiment read_alone(const ExperimentArguments& arguments, const std::vector<Setting>& more,
                      const ScheduleAlone& which);

// Evaluates what was read from `file`; what is found wrong on the way bears its name. Throws Infeasible where
// no schedule fits into the experiment's own memory limit.
Evaluation evaluate(const Experiment& experiment, const std::string& file, const Engines& engines,
                    const OnDraw& on_draw = {});

// The same, whatever fits.
Evaluation evaluate_whether_it_fits(const Experiment& experiment, const std::string& file,
                                    const Engines& engines, const OnDraw& on_draw = {});

Engines engines_from(const std::vector<std::string>& names);

// The index of --case in a table.
std::size_t case_named(const CaseFile& file, const std::string& name);

const ScheduleSpec& schedule_named(const Experiment& experiment, const std::string& name);

}  // namespace spillway
