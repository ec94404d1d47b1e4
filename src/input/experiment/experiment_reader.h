// An experiment inside a document.
#pragma once

#include <optional>

#include "input/experiment/experiment.h"
#include "json/place.h"

namespace spillway {

// Its pointers are the document's below `place`.
std::optional<Experiment> read_experiment(const Place& place);

}  // namespace spillway
