// DeepSpeed's keys and defaults: deepspeed/runtime/zero/config.py (overlap_comm is on for stage 3 alone).
// FSDP's: transformers' --fsdp, and accelerate's fsdp_config. Test: tests/launch/trainer_scripts_test.cpp.
#include "launch/trainer/sharding.h"

#include <algorithm>

#include "base/text.h"
#include "launch/command/json_members.h"

namespace spillway {
namespace {

class ShardingReader {
 public:
  explicit ShardingReader(Arguments& settings) : settings_(settings) {}

  TrainerSharding run() {
    const std::string kind = lower(settings_.known_word("accelerate.distributed_type").value_or(""));
    settings_.known_word("deepspeed");
    settings_.known_word("accelerate.deepspeed_config.deepspeed_config_file");
    settings_.known_word("accelerate.num_processes");
    const bool uses = settings_.flag("accelerate.use_deepspeed");
    const bool shards = settings_.flag("accelerate.use_fsdp");
    const std::vector<std::string> fsdp = fsdp_words();
    const bool deepspeed =
        kind == "deepspeed" || uses || given("deepspeed.") || given("accelerate.deepspeed_config.");
    if (deepspeed)
      read_deepspeed();
    else if (kind == "fsdp" || shards || !fsdp.empty())
      read_fsdp(fsdp);
    else
      read_ddp();
    return std::move(sharding_);
  }

 private:
  bool given(std::string_view prefix) const {
    return std::ranges::any_of(settings_.all(),
                               [&](const LaunchArgument& each) { return each.name.starts_with(prefix); });
  }

  // --fsdp "full_shard auto_wrap"
  std::vector<std::string> fsdp_words() {
    std::vector<std::string> words;
    for (const std::string& text : settings_.words("fsdp"))
      for (const std::string_view word : split(text, ' '))
        if (!word.empty()) words.emplace_back(word);
    return words;
  }

  void read_deepspeed() {
    sharding_.framework = "hf-deepspeed";
    const std::string_view stage_key = settings_.has("deepspeed.zero_optimization.stage")
                                           ? std::string_view("deepspeed.zero_optimization.stage")
                                           : std::string_view("accelerate.deepspeed_config.zero_stage");
    const std::string stage = settings_.word(stage_key).value_or("0");
    if (stage != "0" && stage != "1" && stage != "2" && stage != "3")
      settings_.refuse(stage_key, "0, 1, 2 or 3", '"' + stage + '"');
    add_member(sharding_.parallel, "data", stage == "0" ? "plain" : "zero" + stage);
    const bool overlaps = settings_.has("deepspeed.zero_optimization.overlap_comm")
                              ? settings_.flag("deepspeed.zero_optimization.overlap_comm")
                              : stage == "3";
    if (overlaps) add_overlap();
    read_offload();
  }

  void add_overlap() {
    Object one;
    add_member(one, "value", 1);
    add_member(one, "kind", "vendor");
    add_member(one, "source", "the configuration's overlap_comm, as stated or by DeepSpeed's default");
    add_member(sharding_.framework_set, "/hidden/gradients", Node{std::move(one)});
  }

  // Adam runs on the host, with the states that it has.
  void read_offload() {
    for (const std::string_view key : {"deepspeed.zero_optimization.offload_optimizer.device",
                                       "accelerate.deepspeed_config.offload_optimizer_device"}) {
      const auto device = settings_.known_word(key);
      if (device && *device == "cpu")
        return add_member(sharding_.parallel, "optimizer_offload_fraction", 1.0);
      if (device && *device != "none") settings_.refuse(key, "cpu or none", '"' + *device + '"');
    }
  }

  void read_fsdp(const std::vector<std::string>& words) {
    sharding_.framework = "hf-fsdp2";
    const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
    const std::string strategy =
        lower(settings_.known_word("accelerate.fsdp_config.fsdp_sharding_strategy").value_or("full_shard"));
    const std::string again =
        lower(settings_.known_word("accelerate.fsdp_config.fsdp_reshard_after_forward").value_or("true"));
    const bool keeps = has("shard_grad_op") || strategy == "shard_grad_op" || strategy == "2" ||
                       again == "false" || again == "shard_grad_op";
    const std::string version = settings_.known_word("accelerate.fsdp_config.fsdp_version").value_or("1");
    if (version == "1") sharding_.assumptions.push_back("FSDP's first version is priced as its second");
    if (strategy == "no_shard" || has("no_shard")) return add_member(sharding_.parallel, "data", "plain");
    add_member(sharding_.parallel, "data", "zero3");
    if (keeps) add_member(sharding_.parallel, "reshard_after_forward", false);
  }

  void read_ddp() {
    sharding_.framework = "hf-deepspeed";
    add_member(sharding_.parallel, "data", "plain");
    add_overlap();
    sharding_.assumptions.push_back(
        "neither DeepSpeed nor FSDP is named: DistributedDataParallel, priced as DeepSpeed's stage 0 whose "
        "reduction overlaps with the backward");
  }

  Arguments& settings_;
  TrainerSharding sharding_ = {};
};

}  // namespace

TrainerSharding read_sharding(Arguments& settings) {
  return ShardingReader(settings).run();
}

}  // namespace spillway
