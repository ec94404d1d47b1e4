// The model of MindSpeed-MM's model.json, with its encoder.
#pragma once

#include "launch/command/arguments.h"
#include "launch/megatron/model.h"

namespace spillway {

MegatronModel read_mm_model(Arguments& arguments);

// Arguments that model.json states again, in a form of its own.
void pass_over_mm_replaced(Arguments& arguments);

// The bounds of images of data.json as a workload's rule; 0 is no bound.
Object mm_image_bounds(Arguments& arguments);

}  // namespace spillway
