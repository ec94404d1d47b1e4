// Reads an experiment: spillway/experiment/1, see `spillway schema experiment` and docs/cost-model.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.h"
#include "json/file_memory.h"
#include "json/settings.h"
#include "json/source.h"

namespace spillway {

struct Place;

// Throws InputError with every violation of the document, the settings and the files it names.
Experiment read_experiment(const Source& source, const std::vector<Setting>& settings,
                           const Files& files = {});

// Reads an experiment from a text. `file` names it in messages, and its paths are relative to that file.
Experiment parse_experiment(std::string_view text, const std::string& file,
                            const std::vector<Setting>& settings, const Files& files = {});

// Reads an experiment inside a document. Its pointers are the document's, below `place`.
std::optional<Experiment> read_experiment(const Place& place);

}  // namespace spillway
