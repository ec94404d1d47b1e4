// The model of MindSpeed-MM's model.json, with its encoder.
#pragma once

#include "launch/command/arguments.h"
#include "launch/megatron/model.h"

namespace spillway {

MegatronModel read_mm_model(Arguments& arguments);

}  // namespace spillway
