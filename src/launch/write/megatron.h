// Jobs as scripts of Megatron-LM.
#pragma once

#include <string_view>

#include "launch/write/answer.h"
#include "launch/write/job.h"
#include "launch/write/options.h"

namespace spillway {

LaunchAnswer write_megatron(const LaunchJob& job, std::string_view software);

// Megatron-Core's word for a dispatch of tokens to experts.
std::string_view token_dispatcher(ExpertDispatch dispatch);

// Arguments beside the model's that Megatron-LM and what is built on it share.
class MegatronOptions {
 public:
  MegatronOptions(const LaunchJob& job, LaunchReasons& lacks) : job_(job), lacks_(lacks) {}

  // Refuses sizes that the framework's assertions refuse (megatron/training/arguments.py,
  // megatron/core/transformer/transformer_config.py), and parts of a job that no argument states.
  void check();
  // Refuses schedules and optimizers that Megatron-Core does not have; MindSpeed adds some.
  void check_core();
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
  bool is_fp16() const { return job_.framework().name == "Megatron-LM in FP16"; }
  void check_sequence();
  void check_gradients();
  void check_layout();

  const LaunchJob& job_;
  LaunchReasons& lacks_;
};

}  // namespace spillway
