// `spillway export`: an experiment as the launch of a training framework.
#pragma once

#include <string>
#include <vector>

#include "api/experiment_input.h"
#include "launch/write/frameworks.h"

namespace spillway {

struct ExportArguments {
  ExperimentArguments experiment = {};
  std::string schedule = {};   // empty: the first
  std::string framework = {};  // a name of launch_writers(); empty: all of them
  std::string out = {};        // folder for the files; empty: none are written
};

struct ExportAnswer {
  std::string experiment, schedule;
  std::vector<ExportedLaunch> launches;  // one, if a framework was named
  // The experiment's other schedules of which one of these frameworks has a launch, where this one has none.
  std::vector<std::string> instead = {};
};

// Throws InputError for a framework that is none, and Infeasible with the reasons if the named one cannot
// express the experiment.
ExportAnswer export_launch(const ExportArguments& arguments);

}  // namespace spillway
