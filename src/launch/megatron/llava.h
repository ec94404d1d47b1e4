// The towers of Megatron-LM's examples/multimodal: --vision-model-type names a tower, and its arguments say
// how images are cut, and which parts are frozen.
#pragma once

#include <string>
#include <vector>

#include "launch/command/arguments.h"
#include "launch/megatron/model.h"
#include "launch/megatron/shape.h"

namespace spillway {

// True for the arguments of examples/multimodal/train.py.
bool is_llava(const Arguments& arguments);

// Puts the tower before the language model of model.config, and states how it is trained. Findings for
// towers, language models and cuts of images that are not known.
void add_llava_tower(Arguments& arguments, const MegatronShape& shape, MegatronModel& model);

}  // namespace spillway
