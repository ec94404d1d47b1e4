// Names of models on Hugging Face.
#pragma once

#include <optional>
#include <string>

#include "cost/layers/text_model.h"
#include "cost/layers/vision.h"

namespace spillway {

// A published model of this network, without predictions: "Qwen/Qwen3-32B". Nothing if none is known.
std::optional<std::string> hub_model(const TextModel& network);
// The same behind a tower: "Qwen/Qwen2.5-VL-7B-Instruct".
std::optional<std::string> hub_model(const TextModel& network, const VisionTower& tower);

}  // namespace spillway
