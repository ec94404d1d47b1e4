// Test: tests/launch/write_property_test.cpp.
#include "launch/write/megatron.h"

#include "launch/write/megatron_model.h"
#include "launch/write/script.h"
#include "schedule/skeleton.h"

namespace spillway {
namespace {

class MegatronWriter {
 public:
  MegatronWriter(const LaunchJob& job, std::string_view software)
      : job_(job), software_(software), options_(job, lacks_) {}

  LaunchAnswer run() {
    if (job_.tower) return LaunchReasons{"pretrain_gpt.py has no model with an encoder"};
    options_.check();
    options_.check_core();
    if (job_.backbone.adapters.rank > 0) cannot("pretrain_gpt.py has no low-rank adapters");
    OptionGroup model = megatron_model(job_, MegatronFlavour::Megatron, lacks_);
    options_.add_sizes();
    options_.add_stages();
    if (needs_experts(job_.kind)) options_.layout.add("--overlap-moe-expert-parallel-comm");
    options_.add_dispatch();
    add_context();
    add_sharding();
    options_.add_overlap();
    options_.add_recomputation();
    options_.add_precision();
    check_precision();
    options_.add_optimizer();
    if (!lacks_.empty()) return lacks_;
    return WrittenLaunch{
        {{"train.sh", script(std::move(model))}}, one_line({options_.layout, options_.training}), remarks()};
  }

 private:
  void cannot(std::string reason) { lacks_.push_back(std::move(reason)); }

  void check_precision() {
    const Precision& precision = job_.backbone.precision;
    if (precision.fp8_attention) cannot("attention in FP8 has no argument");
    if (precision.fp8_activation_input) cannot("activations whose inputs are kept in FP8 have no argument");
  }

  void add_context() {
    if (job_.parallel.context == 1) return;
    options_.layout.add("--cp-comm-type", job_.parallel.context_by == ContextBy::Ring ? "p2p" : "a2a");
  }

  bool is_sharded() const {
    return job_.parallel.data == DataParallel::Zero2 || job_.parallel.data == DataParallel::Zero3;
  }

  void add_sharding() {
    const Parallelism& sizes = job_.parallel;
    if (sizes.data == DataParallel::Plain) return;
    options_.layout.add("--use-distributed-optimizer");
    if (!is_sharded()) return;
    if (!sizes.reshard_after_forward) cannot("Megatron-FSDP frees parameters after each forward");
    if (sizes.shard_degree > 0 && sizes.shard_degree != job_.replicas() * sizes.context)
      cannot("import reads no groups of Megatron-FSDP smaller than all replicas");
    const bool all = sizes.data == DataParallel::Zero3;
    options_.layout.add("--use-megatron-fsdp")
        .add("--data-parallel-sharding-strategy", all ? "optim_grads_params" : "optim_grads")
        .add("--ckpt-format", "fsdp_dtensor");
  }

  OptionGroup data() const {
    OptionGroup options("DATA_ARGS");
    options.add("--mock-data").add("--tokenizer-type", "NullTokenizer");
    options.add("--train-iters", 20).add("--eval-iters", 0).add("--lr", "1e-4");
    return options;
  }

  std::string script(OptionGroup model) const {
    // Megatron-FSDP refuses one connection; everything else asks for it where collectives run beside
    // products.
    const std::string environment = is_sharded() ? "" : "\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\n";
    return script_head(job_, software_) + environment +
           "\n# DATA_ARGS are a benchmark's. A training replaces them (--data-path, --tokenizer-type, "
           "--save)." +
           script_body({std::move(model), options_.layout, options_.training, data()}, "pretrain_gpt.py");
  }

  std::vector<std::string> remarks() const {
    const std::uint32_t padded = padded_vocabulary(job_);
    if (padded == job_.model.vocab_size) return {};
    return {"the vocabulary of " + std::to_string(job_.model.vocab_size) + " tokens is padded to " +
            std::to_string(padded) + " for tensor parallelism"};
  }

  const LaunchJob& job_;
  std::string_view software_;
  LaunchReasons lacks_ = {};
  MegatronOptions options_;
};

}  // namespace

LaunchAnswer write_megatron(const LaunchJob& job, std::string_view software) {
  return MegatronWriter(job, software).run();
}

}  // namespace spillway
