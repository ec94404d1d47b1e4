// One schedule of an experiment, read as if the document had no other.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.h"
#include "json/settings.h"
#include "json/source.h"

namespace spillway {

struct ScheduleAlone {
  std::size_t index;                // in the document with its settings
  std::optional<Terms> terms = {};  // those that all systems are played on, where "equal_terms" asks for them
};

// The experiment of this schedule and no other, so that no other one refuses a setting or gives one an
// effect. Nothing is left to fit. Pointers of violations and idle keys are those of the whole document.
// Throws InputError as parse_experiment() does. Contract: the document as written can be read.
Experiment parse_schedule_alone(std::string_view text, const std::string& file,
                                const std::vector<Setting>& settings, const ScheduleAlone& which);

// The same of a document that is named.
Experiment read_schedule_alone(const Source& source, const std::vector<Setting>& settings,
                               const ScheduleAlone& which);

// The order of a file, which no document names, as one more schedule of a document.
Setting as_a_schedule(const std::string& order_file);

}  // namespace spillway
