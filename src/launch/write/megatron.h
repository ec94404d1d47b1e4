// Jobs as scripts of Megatron-LM.
#pragma once

#include <string_view>

#include "launch/write/answer.h"
#include "launch/write/job.h"
#include "launch/write/options.h"

namespace spillway {

LaunchAnswer write_megatron(const LaunchJob& job, std::string_view software);

// Arguments beside the model's that Megatron-LM and what is built on it share.
class MegatronOptions {
 public:
  MegatronOptions(const LaunchJob& job, LaunchReasons& lacks) : job_(job), lacks_(lacks) {}

  // Without an encoder, and divisible as the framework asserts (megatron/training/arguments.py,
  // megatron/core/transformer/transformer_config.py).
  void check();
  void add_sizes();
  void add_stages();  // chunks, layout, overlap of transfers
  void add_recomputation();
  void add_precision();
  void add_optimizer();
  void add_overlap();
  void add_dispatch();

  std::string_view overlap_all = "--tp-comm-overlap";  // of the collectives of tensor parallelism
  OptionGroup layout{"PARALLEL_ARGS"}, training{"TRAINING_ARGS"};

 private:
  void cannot(std::string reason) { lacks_.push_back(std::move(reason)); }
  void check_sequence();
  void check_layout();

  const LaunchJob& job_;
  LaunchReasons& lacks_;
};

}  // namespace spillway
