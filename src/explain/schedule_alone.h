// One schedule of an experiment, read as if the document had no other.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.h"
#include "json/file_memory.h"
#include "json/settings.h"
#include "json/source.h"

namespace spillway {

struct ScheduleAlone {
  std::size_t index;                // in the document after its settings are applied
  std::optional<Terms> terms = {};  // the terms of all systems, if the document has "equal_terms"
};

// Returns the experiment with this schedule alone. So no other schedule refuses a setting or gives it an
// effect. "fit" is removed. Pointers of violations and idle keys refer to the whole document. Throws
// InputError as parse_experiment() does. Contract: the document without the settings is valid.
Experiment parse_schedule_alone(std::string_view text, const std::string& file,
                                const std::vector<Setting>& settings, const ScheduleAlone& which,
                                const Files& files = Files());

// Reads the document from `source`, and does the same.
Experiment read_schedule_alone(const Source& source, const std::vector<Setting>& settings,
                               const ScheduleAlone& which, const Files& files = Files());

// Returns the setting that adds the order of a file to a document as one more schedule.
Setting as_a_schedule(const std::string& order_file);

}  // namespace spillway
