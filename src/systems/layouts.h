// Questions to a model and a body, and layouts of them, that several systems share. Private to src/systems.
#pragma once

#include <cstdint>
#include <vector>

#include "systems/system.h"

namespace spillway {

// Returns true if the model begins with an encoder and has other layers after it.
bool has_encoder(const Model& model);
std::vector<Violation> check_encoder(const Model& model);

// Requires a pipelined skeleton for every region of the body, and no listed one.
std::vector<Violation> check_body(const Schedule& body);
// Requires the same, and that all are 1F1B, interleaved or not.
std::vector<Violation> check_interleaved(const Schedule& body);

// Transposes the first `layers` layers in front of the body. The body's regions end at blocks if there are as
// many blocks with a layer for each stage. Otherwise their layers are as even as counting allows. Contract: 0
// < layers < the model's layers; check_body finds nothing.
ScheduleSpec transposed_layers(const SystemJob& job, std::uint32_t layers, const SystemOptions& options);
// The same for the layers of the model's encoder. Contract: check_encoder finds nothing.
ScheduleSpec transposed_encoder(const SystemJob& job, const SystemOptions& options);

// Places modules on dedicated devices. Each module is a region of the body's skeleton, and the last one is
// the whole body. The layers of each module are split by their times. Contract: check_body finds nothing;
// there are modules.
ScheduleSpec modules_apart(const SystemOptions& options);

// Lays the body over the whole model, with layers split over all stages by their times. Contract: check_body
// finds nothing.
ScheduleSpec balanced_model(const Model& model, const SystemOptions& options);

// Lays the body over the whole model, with layer counts as even as possible. Contract: check_body finds
// nothing.
ScheduleSpec whole_model(const Model& model, const SystemOptions& options);

}  // namespace spillway
