// Names of models on Hugging Face.
#pragma once

#include <optional>
#include <string>

#include "cost/layers/text_model.h"

namespace spillway {

// A published model of this network, without predictions: "Qwen/Qwen3-32B". Nothing if none is known.
std::optional<std::string> hub_model(const TextModel& network);

}  // namespace spillway
