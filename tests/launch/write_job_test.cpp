// Small experiments: which launch they become, and the reasons where they become none.
#include "launch/write/options.h"
#include "written_launch.h"

namespace spillway {
namespace {

Experiment small_experiment(const std::string& text) {
  return parse_experiment(text, "x.json", {});
}

// Llama 3 8B on 4 pipeline ranks; `more` is the rest of /parallel, `schedule` an entry of /schedules.
std::string llama(const std::string& more, const std::string& block, const std::string& schedule) {
  return R"({"schema":"spillway/experiment/1","name":"small","platform":"hgx-h100",)"
         R"("pipeline":{"ranks":4,"microbatches":8,"replicas":2},"parallel":{"tensor":2,"data":"zero1")" +
         more + R"(},"model":{"blocks":[{"name":"llm","role":"backbone","architecture":"llama-3-8b")" +
         block +
         R"(}]},"workload":{"sequence_tokens":8192,"sequences_per_microbatch":1},"schedules":[{"name":"s",)" +
         schedule + "}]}";
}

std::string outcome(const std::string& text, LaunchFramework framework) {
  const Experiment experiment = small_experiment(text);
  const LaunchAnswer answer = write_launch(experiment, experiment.schedules.front(), framework);
  if (const auto* reasons = std::get_if<LaunchReasons>(&answer)) return "no: " + joined(*reasons, "; ");
  return std::get<WrittenLaunch>(answer).arguments;
}

const std::string kOneFOneB = R"("schedule":"1f1b")";

TEST(WriteLaunch, ArgumentsOfMegatronAreThoseOfTheLayout) {
  EXPECT_EQ(outcome(llama("", "", kOneFOneB), LaunchFramework::MegatronLm),
            "--tensor-model-parallel-size 2 --pipeline-model-parallel-size 4 --context-parallel-size 1 "
            "--sequence-parallel --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather "
            "--micro-batch-size 1 --global-batch-size 16 --seq-length 8192 --bf16");
}

TEST(WriteLaunch, UnequalStagesAreALayoutOrAListOfLayers) {
  const std::string uneven = R"("schedule":"1f1b","layers_per_rank":[7,9,9,7])";
  EXPECT_NE(outcome(llama("", "", uneven), LaunchFramework::MegatronLm)
                .find("--pipeline-model-parallel-layout 'Et*7|(t*9|)*2t*7L'"),
            std::string::npos);
  EXPECT_NE(outcome(llama("", "", uneven), LaunchFramework::MindSpeedLlm).find("--num-layer-list 7,9,9,7"),
            std::string::npos);
  const std::string chunks = R"("schedule":"1f1b,1f1b","cut":[15],"layers_per_rank":[3,4,4,4,4,4,5,4])";
  EXPECT_NE(outcome(llama("", "", chunks), LaunchFramework::MindSpeedLlm)
                .find("--num-layers-per-virtual-pipeline-stage 5"),
            std::string::npos);
}

TEST(WriteLaunch, SharesKeepEveryDigit) {
  const std::string states = R"(,"main_params_dtype":"remainder","optimizer_offload_fraction":0.123456789)";
  EXPECT_NE(outcome(llama(states, "", kOneFOneB), LaunchFramework::MegatronLm)
                .find("--optimizer-offload-fraction 0.123456789"),
            std::string::npos)
      << outcome(llama(states, "", kOneFOneB), LaunchFramework::MegatronLm);
}

TEST(WriteLaunch, ReasonsNameRecomputationInTheWordsOfAnExperiment) {
  EXPECT_EQ(outcome(llama("", R"(,"recompute":["mlp","layernorm"])", R"("schedule":"gpipe")"),
                    LaunchFramework::Torchtitan),
            "no: it shares out parameters with the optimizer states, or nothing; it does not recompute "
            "layernorm mlp");
}

TEST(WriteLaunch, ReasonsNameWhatIsMissing) {
  EXPECT_EQ(outcome(llama("", "", R"("schedule":"zb-v")"), LaunchFramework::MegatronLm),
            "no: it has no schedule zb-v");
  EXPECT_EQ(outcome(llama("", "", kOneFOneB), LaunchFramework::DeepSpeed),
            "no: it has no pipelines; import reads no tensor, context or expert parallelism of it");
  EXPECT_EQ(outcome(llama("", R"(,"recompute":"alternate")", kOneFOneB), LaunchFramework::MegatronLm),
            "no: no argument recomputes every second matrix product");
  EXPECT_EQ(outcome(llama("", "", kOneFOneB), LaunchFramework::Torchtitan),
            "no: it shares out parameters with the optimizer states, or nothing");
  EXPECT_EQ(outcome(llama("", "", kOneFOneB), LaunchFramework::MindSpeedMm),
            "no: it trains models with an encoder; MindSpeed-LLM has the others");
}

// Without a setting for it, the launch would train otherwise than the experiment states.
TEST(WriteLaunch, OfMuonIsNotWritten) {
  EXPECT_EQ(outcome(llama(R"(,"muon_num_ns_steps":5)", "", kOneFOneB), LaunchFramework::MegatronLm),
            "no: launches are written with Adam, not with Muon");
}

TEST(WriteLaunch, GradientsAreReducedInTheTypeThatTheyAreKeptIn) {
  const auto written = [](int kept, int sent, LaunchFramework framework) {
    std::string text = llama("", "", kOneFOneB);
    const auto bytes = [](int value) {
      return R"({"value":)" + std::to_string(value) + R"(,"kind":"assumed","source":"a test"})";
    };
    text.insert(text.find(R"("pipeline")"),
                R"("framework":"megatron-overlapped","framework_set":{"/gradient_buffer_bytes":)" +
                    bytes(kept) + R"(,"/gradient_bytes":)" + bytes(sent) + "},");
    return outcome(text, framework);
  };
  for (const LaunchFramework framework : {LaunchFramework::MegatronLm, LaunchFramework::MegatronBridge})
    for (const auto& [kept, sent, words] : {std::tuple(2, 4, "bf16 and reduces them in fp32"),
                                            std::tuple(4, 2, "fp32 and reduces them in bf16")})
      EXPECT_EQ(written(kept, sent, framework), std::string("no: no argument keeps gradients in ") + words);
  EXPECT_EQ(written(4, 4, LaunchFramework::MegatronLm),
            outcome(llama("", "", kOneFOneB), LaunchFramework::MegatronLm));
  EXPECT_NE(written(2, 2, LaunchFramework::MegatronLm).find("--grad-reduce-in-bf16"), std::string::npos);
}

// Whatever a framework is called: one that states a loss of one kernel has Transformer Engine's.
TEST(WriteLaunch, ALossOfOneKernelIsTransformerEngines) {
  const auto written = [](const std::string& framework, const std::string& kernels, const char* fused) {
    std::string text = llama("", "", kOneFOneB);
    text.insert(text.find(R"("pipeline")"), R"("framework":")" + framework +
                                                R"(","framework_set":{"/fused_loss":)" + fused +
                                                R"(,"/operators/loss/forward_kernels":{"value":)" + kernels +
                                                R"(,"kind":"assumed","source":"a test"}},)");
    return outcome(text, LaunchFramework::MegatronLm);
  };
  const std::string fusion = "--cross-entropy-loss-fusion --cross-entropy-fusion-impl te";
  for (const char* framework : {"megatron-moe", "megatron-eager", "megatron-overlapped"}) {
    EXPECT_NE(written(framework, "1", "true").find(fusion), std::string::npos) << framework;
    EXPECT_EQ(written(framework, "6", "true").find("entropy"), std::string::npos) << framework;
    EXPECT_EQ(written(framework, "1", "false").find("entropy"), std::string::npos) << framework;
  }
}

// Megatron's schedule without interleaving waits for each transfer.
TEST(WriteLaunch, SaysThatTransfersBlock) {
  const auto remarks = [](const std::string& more, const std::string& schedule) {
    std::string text = llama("", "", schedule);
    text.insert(text.find(R"("pipeline")"), more);
    const Experiment experiment = small_experiment(text);
    return std::get<WrittenLaunch>(
               write_launch(experiment, experiment.schedules.front(), LaunchFramework::MegatronLm))
        .remarks;
  };
  const std::vector<std::string> expected{
      "without interleaving, transfers between pipeline ranks block in the framework; the experiment's "
      "overlap"};
  EXPECT_EQ(remarks("", kOneFOneB), expected);
  EXPECT_TRUE(remarks(R"("network":{"p2p":"blocking"},)", kOneFOneB).empty());
  EXPECT_TRUE(remarks("", R"("schedule":"1f1b,1f1b")").empty());
}

TEST(WriteLaunch, DurationsAreNoModel) {
  const Experiment experiment =
      read_experiment(Source(SPILLWAY_SOURCE_DIR "/workloads/experiments/small.json"), {});
  const LaunchOffer offer = launch_offer(experiment, experiment.schedules.front());
  EXPECT_FALSE(offer.launch);
  EXPECT_NE(offer.reason.find("durations of layers"), std::string::npos) << offer.reason;
}

TEST(WriteLaunch, SoftwareChoosesTheFramework) {
  const auto offered = [](const std::string& software) {
    std::string text = llama("", "", kOneFOneB);
    if (!software.empty()) text.insert(text.find(R"("pipeline")"), R"("framework":")" + software + R"(",)");
    const Experiment experiment = small_experiment(text);
    const LaunchOffer offer = launch_offer(experiment, experiment.schedules.front());
    return offer.framework ? std::string(launch_writer(*offer.framework).name) : offer.reason;
  };
  EXPECT_EQ(offered(""), "megatron-lm");
  EXPECT_EQ(offered("megatron-bridge"), "megatron-bridge");
  EXPECT_EQ(offered("nanotron"), "no launch is written for nanotron");
  EXPECT_EQ(offered("torchtitan-eager").substr(0, 12), "torchtitan: ");
}

// Words of a shell keep their meaning.
TEST(WriteLaunch, WordsAreQuotedWhereAShellNeedsIt) {
  EXPECT_EQ(shell_word("Et*2|t"), "'Et*2|t'");
  EXPECT_EQ(shell_word("1e-4"), "1e-4");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace spillway
