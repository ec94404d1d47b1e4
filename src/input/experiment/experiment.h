// Reads an experiment: spillway/experiment/1, see `spillway schema experiment` and docs/cost-model.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.h"
#include "json/file_memory.h"
#include "json/settings.h"
#include "json/source.h"

namespace spillway {

// Throws InputError with every violation of the document, the settings and the files it names.
Experiment read_experiment(const Source& source, const std::vector<Setting>& settings,
                           const Files& files = {});

// From a text that no file holds; `file` names it in messages, and paths in it are relative to that.
Experiment parse_experiment(std::string_view text, const std::string& file,
                            const std::vector<Setting>& settings, const Files& files = {});

}  // namespace spillway
