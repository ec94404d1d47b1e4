// The input that commands share: an experiment with its settings, engines, schedules by name.
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

// Arguments of `run`, `derive` and `explain`: an experiment and changes to it. A trace can replace the
// experiment.
struct ExperimentArguments {
  Source source = "";                  // empty file: none
  std::vector<std::string> sets = {};  // /pointer=value
  std::string order = {};              // CSV file with one more schedule; empty: none
  std::string workload = {};  // trace that gives the experiment; `source` replaces its keys; empty: none
};

// Throws a violation of the command line.
[[noreturn]] void refuse_argument(const std::string& option, const std::string& expected,
                                  const std::string& found);

// Parses "/json/pointer=value" of an option.
Setting setting_from(const std::string& option, const std::string& text);

std::vector<Setting> settings_from(const std::vector<std::string>& sets);

struct ExperimentInput {
  Experiment experiment;
  std::string file;      // its name in messages
  std::string document;  // made from a trace, with its settings; empty: the file is the document
};
ExperimentInput read_input(const ExperimentArguments& arguments, const std::vector<Setting>& more = {});

Experiment read_experiment(const ExperimentArguments& arguments);

// Returns the experiment with one of its schedules alone. The schedule of --order counts as the last.
Experiment read_alone(const ExperimentArguments& arguments, const std::vector<Setting>& more,
                      const ScheduleAlone& which, const Files& files = Files());

// Returns the document of the experiment, with its settings.
Node document_of(const ExperimentArguments& arguments);

// Evaluates an experiment read from `file`, which its violations name. Throws Infeasible if no schedule fits
// in the experiment's own memory limit.
Evaluation evaluate(const Experiment& experiment, const std::string& file, const Engines& engines,
                    const OnDraw& on_draw = {});

// Evaluates the experiment even if no schedule fits.
Evaluation evaluate_whether_it_fits(const Experiment& experiment, const std::string& file,
                                    const Engines& engines, const OnDraw& on_draw = {});

Engines engines_from(const std::vector<std::string>& names);

// Returns the index of --case in a table.
std::size_t case_named(const CaseFile& file, const std::string& name);

const ScheduleSpec& schedule_named(const Experiment& experiment, const std::string& name);

}  // namespace spillway
