// Arguments as huggingface/trl (trl/scripts/sft.py, trl/trainer/sft_config.py, model_config.py) and
// huggingface/transformers (training_args.py); files as huggingface/accelerate
// (FullyShardedDataParallelPlugin and commands/launch.py) and deepspeedai/DeepSpeed (runtime/zero/config.py)
// read them. Settings of models with images as hiyouga/LLaMA-Factory @ff6d4d12ee, src/llamafactory/hparams.
// Test: tests/launch/write_property_test.cpp, tests/launch/write_images_test.cpp.
#include "launch/write/trainer.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "json/document.h"
#include "launch/command/json_members.h"
#include "launch/write/hub_models.h"
#include "launch/write/script.h"

namespace spillway {
namespace {

// Names of modules in Hugging Face's models.
constexpr std::array<std::string_view, 13> kHubTargets{
    "q_proj",    "k_proj",  "v_proj",   "o_proj",    "q_a_proj", "q_b_proj", "kv_a_proj_with_mqa",
    "kv_b_proj", "in_proj", "out_proj", "gate_proj", "up_proj",  "down_proj"};

class TrainerWriter {
 public:
  TrainerWriter(const LaunchJob& job, std::string_view software) : job_(job), software_(software) {}

  LaunchAnswer accelerate() {
    check();
    const DataParallel data = shared();
    if (data == DataParallel::Zero1 || data == DataParallel::Zero2)
      cannot("FSDP2 shares out parameters with the optimizer states");
    if (offloads()) cannot("import reads no offloading of FSDP2");
    add_all_arguments();
    if (!lacks_.empty()) return lacks_;
    const std::string start =
        "\naccelerate launch --config_file accelerate.yaml \\\n"
        "  --machine_rank \"${NODE_RANK:-0}\" --main_process_ip \"${MASTER_ADDR:-localhost}\" \\\n"
        "  --main_process_port \"${MASTER_PORT:-6000}\" \\\n ";
    return files(script_comment(job_, software_), start, {"accelerate.yaml", yaml()});
  }

  LaunchAnswer deepspeed() {
    check();
    if (job_.parallel.data == DataParallel::Zero3 && !job_.parallel.reshard_after_forward)
      cannot("stage 3 frees parameters after each forward");
    add_all_arguments();
    arguments_.add("--deepspeed", "deepspeed.json");
    if (!lacks_.empty()) return lacks_;
    return files(script_head(job_, software_), "\ntorchrun \"${LAUNCH_ARGS[@]}\"",
                 {"deepspeed.json", json_text({json()})});
  }

 private:
  void cannot(std::string reason) { lacks_.push_back(std::move(reason)); }
  // One copy has nothing to share out.
  DataParallel shared() const { return job_.replicas() == 1 ? DataParallel::Plain : job_.parallel.data; }
  bool offloads() const { return job_.parallel.states.offloaded > 0; }

  WrittenLaunch files(const std::string& head, const std::string& start, LaunchFile sharding) const {
    if (!job_.tower)
      return {{{"train.sh", script(head, start + " -m trl.scripts.sft")}, std::move(sharding)},
              one_line({arguments_})};
    const std::string command = head + "\n# train.yaml names an example's data set.\n" + start.substr(1);
    return {{{"train.sh", command + " src/train.py train.yaml\n"},
             {"train.yaml", settings_text()},
             std::move(sharding)},
            one_line({arguments_}),
            {"the program is LLaMA-Factory 0.9.6.dev0 (ff6d4d12ee)"}};
  }

  void check() {
    const Parallelism& sizes = job_.parallel;
    if (job_.ranks() > 1) cannot("it has no pipelines");
    if (sizes.members() > 1 || sizes.expert_devices() > 1)
      cannot("import reads no tensor, context or expert parallelism of it");
    if (job_.model.num_nextn_predict_layers > 0) cannot("it has no multi-token prediction");
    if (sizes.shard_degree > 0 && sizes.shard_degree != job_.replicas())
      cannot("import reads no groups of it smaller than all replicas");
    OptimizerStates states = sizes.states;
    states.offloaded = 0;
    if (!(states == OptimizerStates{}) || sizes.main_remainders || sizes.optimizer == OptimizerPlace::Swapped)
      cannot("its optimizer states are in FP32");
    if (sizes.states.offloaded > 0 && sizes.states.offloaded < 1) cannot("it offloads all states or none");
    if (job_.backbone.precision.narrow_products() || job_.backbone.precision.output_projection)
      cannot("import reads no FP8 of it");
    if (job_.backbone.offload.any()) cannot("import reads no offloading of activations");
  }

  void add_all_arguments() {
    if (job_.tower)
      add_settings_of_images();
    else
      add_arguments();
  }

  // Settings of LLaMA-Factory, whose file is train.yaml.
  void add_settings_of_images() {
    const LaunchTower& tower = *job_.tower;
    check_images(tower);
    arguments_.add("--model_name_or_path", name_of_images()).add("--trust_remote_code", "true");
    arguments_.add("--stage", "sft").add("--do_train", "true").add("--finetuning_type", "full");
    const char* freezes = tower.trainable ? "false" : "true";
    arguments_.add("--freeze_vision_tower", freezes).add("--freeze_multi_modal_projector", freezes);
    arguments_.add("--freeze_language_model", job_.trainable ? "false" : "true");
    if (tower.tower.rotary)
      arguments_.add("--image_min_pixels", tower.tower.rule.min_pixels)
          .add("--image_max_pixels", tower.tower.rule.max_pixels);
    const bool full = job_.backbone.recompute.any();
    arguments_.add("--disable_gradient_checkpointing", full ? "false" : "true");
    arguments_.add("--flash_attn", job_.model.fused_attention ? "fa2" : "disabled");
    arguments_.add("--dataset", "mllm_demo").add("--template", tower.tower.rotary ? "qwen2_vl" : "intern_vl");
    arguments_.add("--cutoff_len", 32768).add("--bf16", "true");
    arguments_.add("--per_device_train_batch_size", job_.microbatch_size)
        .add("--gradient_accumulation_steps", job_.microbatches());
    arguments_.add("--output_dir", "output").add("--max_steps", 20).add("--learning_rate", "1e-5");
  }

  void check_images(const LaunchTower& tower) {
    const Recomputation full(Recompute::Full);
    if (job_.packs_images()) cannot("import reads no packing of its samples with images");
    const bool again = job_.backbone.recompute.any();
    if (again && !(job_.backbone.recompute == full))
      cannot("it recomputes whole layers, all of them or none");
    if (tower.trainable && !(tower.costs.recompute == (again ? full : Recomputation())))
      cannot("it recomputes the tower as it recomputes the language model");
    if (!job_.trainable && !tower.trainable) cannot("it trains a tower or a language model");
    if (job_.backbone.adapters.rank + tower.costs.adapters.rank > 0)
      cannot("low-rank adapters of models with images are not written");
  }

  // Its InternVL is that of Hugging Face transformers.
  std::string name_of_images() {
    const auto name = hub_model(published_network(job_), job_.tower->tower);
    if (!name) cannot("no published name of this model is known");
    const bool converted = name && name->starts_with("OpenGVLab/");
    return name.value_or("") + (converted ? "-hf" : "");
  }

  std::string settings_text() const {
    std::string text;
    for (const LaunchOption& option : arguments_.options())
      text += option.name.substr(2) + ": " + option.values.front() + '\n';
    return text;
  }

  void add_arguments() {
    const auto name = hub_model(published_network(job_));
    if (!name) cannot("no published name of this model is known");
    arguments_.add("--model_name_or_path", name.value_or("")).add("--bf16", "true");
    arguments_.add("--attn_implementation", job_.model.fused_attention ? "flash_attention_2" : "eager")
        .add("--max_length", job_.sequence_tokens)
        .add("--packing", "true")
        .add("--per_device_train_batch_size", job_.microbatch_size)
        .add("--gradient_accumulation_steps", job_.microbatches());
    add_recomputation();
    add_adapters();
    if (!job_.trainable && job_.backbone.adapters.rank == 0) cannot("it trains all parameters");
  }

  void add_recomputation() {
    const Recomputation& recompute = job_.backbone.recompute;
    const bool full = recompute == Recomputation(Recompute::Full);
    if (recompute.any() && !full) return cannot("it recomputes whole layers, all of them or none");
    arguments_.add("--gradient_checkpointing", full ? "true" : "false");
  }

  void add_adapters() {
    const Adapters& adapters = job_.backbone.adapters;
    if (adapters.rank == 0) return;
    std::vector<std::string> targets;
    AdapterTargets named;
    for (const auto& [word, target] : kAdapterTargets)
      if (adapters.targets.meets(target) && std::ranges::find(kHubTargets, word) != kHubTargets.end()) {
        targets.emplace_back(word);
        named |= target;
      }
    if (!(named == adapters.targets)) return cannot("Hugging Face's models have no such targets of adapters");
    if (targets.empty()) targets.emplace_back("all-linear");
    arguments_.add("--use_peft", "true")
        .add("--lora_r", adapters.rank)
        .add("--lora_target_modules", targets)
        .add("--lora_dropout", adapters.dropout ? "0.05" : "0");
  }

  OptionGroup data() const {
    OptionGroup options("DATA_ARGS");
    options.add("--dataset_name", "trl-lib/Capybara").add("--output_dir", "output");
    options.add("--max_steps", 20).add("--learning_rate", "1e-5");
    return options;
  }

  std::string script(const std::string& head, const std::string& start) const {
    const std::string text =
        head + "\n# DATA_ARGS are an example's.\n" + shell_array(arguments_) + '\n' + shell_array(data());
    return text + start + " \\\n  \"${TRAINING_ARGS[@]}\" \\\n  \"${DATA_ARGS[@]}\"\n";
  }

  std::string yaml() const {
    const bool shards = shared() == DataParallel::Zero3;
    std::string text = "compute_environment: LOCAL_MACHINE\nmixed_precision: bf16\nnum_processes: " +
                       std::to_string(job_.devices()) +
                       "\nnum_machines: " + std::to_string(job_.devices() / devices_on_node(job_)) +
                       "\nmachine_rank: 0\nmain_training_function: main\ndistributed_type: ";
    if (!shards) return text + (job_.devices() > 1 ? "MULTI_GPU\n" : "'NO'\n");
    return text + "FSDP\nfsdp_config:\n  fsdp_version: 2\n  fsdp_reshard_after_forward: " +
           (job_.parallel.reshard_after_forward ? "true" : "false") +
           "\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n  fsdp_state_dict_type: SHARDED_STATE_DICT\n"
           "  fsdp_cpu_ram_efficient_loading: true\n  fsdp_offload_params: false\n"
           "  fsdp_activation_checkpointing: false\n";
  }

  // Values that DeepSpeed's integration into the Trainer fills in are "auto".
  Object json() const {
    Object bf16, zero, all;
    add_member(bf16, "enabled", true);
    add_member(zero, "stage", static_cast<std::uint32_t>(shared()));
    const bool stated = job_.framework().name == "Hugging Face, DeepSpeed";
    add_member(zero, "overlap_comm", !stated || job_.framework().hidden_gradients.value > 0);
    add_member(zero, "contiguous_gradients", true);
    if (offloads()) {
      Object offload;
      add_member(offload, "device", "cpu");
      add_member(zero, "offload_optimizer", Node{std::move(offload)});
    }
    add_member(all, "bf16", Node{std::move(bf16)});
    add_member(all, "zero_optimization", Node{std::move(zero)});
    for (const char* key : {"train_batch_size", "train_micro_batch_size_per_gpu",
                            "gradient_accumulation_steps", "gradient_clipping"})
      add_member(all, key, "auto");
    return all;
  }

  const LaunchJob& job_;
  std::string_view software_;
  LaunchReasons lacks_ = {};
  OptionGroup arguments_{"TRAINING_ARGS"};
};

}  // namespace

LaunchAnswer write_accelerate(const LaunchJob& job, std::string_view software) {
  return TrainerWriter(job, software).accelerate();
}
LaunchAnswer write_deepspeed(const LaunchJob& job, std::string_view software) {
  return TrainerWriter(job, software).deepspeed();
}

}  // namespace spillway
