// How a Trainer shards states: DeepSpeed's stages, FSDP, or DDP.
#pragma once

#include <string>
#include <vector>

#include "json/node.h"
#include "launch/command/arguments.h"

namespace spillway {

struct TrainerSharding {
  std::string framework;      // a shipped one
  Object parallel = {};       // keys of /parallel
  Object framework_set = {};  // changes of the framework
  std::vector<std::string> assumptions = {};
};

TrainerSharding read_sharding(Arguments& settings);

}  // namespace spillway
