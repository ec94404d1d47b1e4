// The steps of an experiment under changed settings, each evaluated once.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/fit.h"
#include "evaluate/point.h"
#include "explain/would_help.h"

namespace spillway {

struct ChangedStep {
  Seconds makespan;          // mean over the draws, by the longest path
  std::optional<bool> fits;  // within the memory limit; nothing if memory or limit is unknown
};

class ChangedSteps {
 public:
  ChangedSteps(ReadAgain read_again, std::vector<FittedParameter> fitted)
      : read_again_(std::move(read_again)), fitted_(std::move(fitted)) {}

  // Nothing if the settings are impossible, or if the reader says that one of them has no effect.
  std::optional<ChangedStep> of(const std::vector<Setting>& settings);

 private:
  std::optional<ChangedStep> evaluated(const std::vector<Setting>& settings);

  ReadAgain read_again_;
  std::vector<FittedParameter> fitted_;
  Caches caches_;
  std::map<std::string, std::optional<ChangedStep>> known_;
};

}  // namespace spillway
