// What several systems ask of a model and a body. Private to src/systems.
#pragma once

#include <cstdint>
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

// So many layers transposed in front of the body, whose regions end at blocks where there are as many with a
// layer for each stage, else as even as layers can be counted. Contract: 0 < layers < those of the model;
// check_body finds nothing.
ScheduleSpec transposed_layers(const SystemJob& job, std::uint32_t layers, const SystemOptions& options);
// The same of the model's encoder. Contract: check_encoder finds nothing.
ScheduleSpec transposed_encoder(const SystemJob& job, const SystemOptions& options);

// Modules on devices of their own, each a region of the body's skeleton and the last one all of the body;
// layers of each shared out by what they take. Contract: check_body finds nothing, there are modules.
ScheduleSpec modules_apart(const SystemOptions& options);

// The body over the whole model, layers shared out over all stages by what they take. Contract: check_body
// finds nothing.
ScheduleSpec balanced_model(const Model& model, const SystemOptions& options);

// The body over the whole model, as even as layers can be counted. Contract: check_body finds nothing.
ScheduleSpec whole_model(const Model& model, const SystemOptions& options);

}  // namespace spillway
