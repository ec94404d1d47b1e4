// What several systems ask of a model and a body. Private to src/systems.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "systems/system.h"

namespace spillway {

// Does the model begin with an encoder and go on behind it?
bool has_encoder(const Model& model);
std::vector<Violation> check_encoder(const Model& model);

// One pipelined skeleton for every region of the body, none of them listed.
std::vector<Violation> check_body(const Schedule& body);
// The same, and it is 1F1B, interleaved or not.
std::vector<Violation> check_interleaved(const Schedule& body);

// The encoder transposed in front of the body: the model's encoder is the input region, the others end at
// blocks where there are as many with a layer for each stage, else as even as layers can be counted.
// Contract: check_encoder and check_body find nothing.
ScheduleSpec transposed_encoder(const SystemJob& job, const SystemOptions& options);

// The body over the whole model, as even as layers can be counted. Contract: check_body finds nothing.
ScheduleSpec whole_model(const Model& model, const SystemOptions& options);

}  // namespace spillway
