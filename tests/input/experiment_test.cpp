// Good experiments: the contract's small one, key by key, and every shipped one.
#include "input/experiment/experiment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "experiment/encoder_images.h"
#include "written.h"

namespace spillway {
namespace {

Experiment given(const std::string& text) {
  return read_experiment(written("x.json", text), {});
}

const std::string kOneBlock = R"({ "schema": "spillway/experiment/1", "name": "x",
  "pipeline": { "ranks": 2, "microbatches": 2, "replicas": 2 },
  "model": { "blocks": [ { "name": "llm", "layers": 4,
    "profile": { "forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1 } WORK } ] },
  "schedules": [ { "name": "a", "schedule": "1f1b" } ] })";

std::string one_block(const std::string& work) {
  std::string text = kOneBlock;
  return text.replace(text.find("WORK"), 4, work);
}

TEST(Experiment, TheContractsSmallOneReads) {
  const Experiment e = small();
  EXPECT_EQ(e.name, "small");
  EXPECT_EQ(e.pipeline.ranks, 4u);
  EXPECT_EQ(e.pipeline.microbatches, 3u);
  EXPECT_EQ(e.pipeline.replicas, 1u);
  EXPECT_EQ(e.point_to_point, PointToPoint::Overlapped);
  EXPECT_EQ(e.baseline, 1u);
  EXPECT_EQ(e.seed, 1u);
  EXPECT_EQ(e.draws, 1u);
  EXPECT_TRUE(e.fits.empty());
}

TEST(Experiment, BlocksAndProfiles) {
  const Experiment e = read_experiment(shipped("workloads/experiments/small.json"),
                                       {{"/model/blocks/1/profile/fused_forward_backward_ms", "40.0"}});
  ASSERT_EQ(e.model.blocks().size(), 2u);
  EXPECT_EQ(e.model.blocks()[0].role, Role::Encoder);
  EXPECT_FALSE(e.model.blocks()[0].trainable);
  EXPECT_EQ(e.model.blocks()[1].layers, 8u);
  const auto& costs = std::get<GivenCosts>(e.costs);
  EXPECT_DOUBLE_EQ(costs.p2p.value(), 0.601e-3);
  EXPECT_EQ(costs.blocks[0].work, (std::vector<std::vector<double>>{{1.0, 0.5, 3.0}}));
  EXPECT_FALSE(costs.blocks[0].fused_forward_backward.has_value());
  EXPECT_DOUBLE_EQ(costs.blocks[1].forward.value(), 18.522e-3);
  EXPECT_DOUBLE_EQ(costs.blocks[1].fused_forward_backward->value(), 40e-3);
  EXPECT_DOUBLE_EQ(costs.blocks[1].activation->value(), 201216000);
  EXPECT_TRUE(costs.blocks[1].work.empty());
}

TEST(Experiment, Schedules) {
  const Experiment e = small();
  EXPECT_EQ(to_string(e.schedules[0].schedule), "transpose,1f1b");
  EXPECT_EQ(e.schedules[0].cut.boundaries, (std::vector<std::uint32_t>{4}));
  EXPECT_EQ(e.schedules[0].owner, OwnerPolicy::Greedy);
  EXPECT_FALSE(e.schedules[0].owner_from_draw);
  EXPECT_EQ(e.schedules[0].order, MicrobatchOrder::AsSampled);
  EXPECT_TRUE(e.schedules[1].cut.boundaries.empty());
  EXPECT_EQ(e.schedules[1].layers_per_rank, (std::vector<std::uint32_t>{5, 3, 2, 2}));
}

TEST(Experiment, OneListOfWorkServesEveryReplica) {
  const Experiment e = given(one_block(R"(, "work_per_microbatch": [1, 2])"));
  EXPECT_EQ(std::get<GivenCosts>(e.costs).blocks[0].work, (std::vector<std::vector<double>>{{1, 2}, {1, 2}}));
}

TEST(Experiment, EachReplicaMayHaveItsWork) {
  const Experiment e = given(one_block(R"(, "work_per_microbatch": [[1, 2], [3, 4]])"));
  EXPECT_EQ(std::get<GivenCosts>(e.costs).blocks[0].work, (std::vector<std::vector<double>>{{1, 2}, {3, 4}}));
}

TEST(Experiment, DefaultsAreTheContracts) {
  const Experiment e = given(one_block(""));
  EXPECT_EQ(e.model.blocks()[0].role, Role::Backbone);
  EXPECT_TRUE(e.model.blocks()[0].trainable);
  EXPECT_EQ(std::get<GivenCosts>(e.costs).p2p, Seconds(0));
  EXPECT_EQ(e.baseline, 0u);
  EXPECT_TRUE(e.schedules[0].layers_per_rank.empty());
}

TEST(Experiment, EveryShippedOneReads) {
  int read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shipped("workloads/experiments"))) {
    if (entry.path().extension() != ".json") continue;
    EXPECT_EQ(complaints([&] { read_experiment(entry.path().string(), {}); }), std::vector<std::string>{});
    ++read;
  }
  EXPECT_GE(read, 4);
}

TEST(Experiment, SaysHowDevicesShareTheModel) {
  const auto shared = [](std::vector<Setting> settings) {
    const Experiment e = read_experiment(shipped("workloads/experiments/experiment-a.json"), settings);
    return std::get<AnalyticExperiment>(e.costs).costs.parallelism;
  };
  const Parallelism split = shared({{"/parallel/tensor", "2"},
                                    {"/parallel/context", "2"},
                                    {"/parallel/data", "zero3"},
                                    {"/parallel/expert_imbalance", "1.25"}});
  EXPECT_EQ(split.tensor, 2u);
  EXPECT_EQ(split.context, 2u);
  EXPECT_EQ(split.data, DataParallel::Zero3);
  EXPECT_DOUBLE_EQ(split.expert_imbalance, 1.25);
  const Parallelism own = shared({{"/parallel/context", "2"},
                                  {"/parallel/context_by", "\"ulysses\""},
                                  {"/parallel/dispatch", "\"all-gather\""},
                                  {"/parallel/expert_tensor", "2"},
                                  {"/parallel/images", "\"repeated\""}});
  EXPECT_EQ(own.images, EncoderImages::Repeated);
  EXPECT_EQ(own.context_by, ContextBy::Ulysses);
  EXPECT_EQ(own.dispatch, ExpertDispatch::AllGather);
  EXPECT_EQ(own.expert_tensor, 2U);
  const Parallelism whole = shared({{"/parallel/expert", "1"}, {"/parallel/sequence_parallel", "false"}});
  EXPECT_FALSE(whole.sequence_parallel);
  EXPECT_EQ(complaints([&] { shared({{"/parallel/expert_imbalance", "0.5"}}); }).size(), 1u);
}

// Llama 3 405B has 8 key/value heads of 128; the experiment's tensor parallel size is 8.
TEST(Experiment, SaysThatHeadsAreRepeated) {
  const auto assumptions = [](const char* context, const char* by) {
    return read_experiment(
               shipped("workloads/experiments/llama3-405b.json"),
               {{"/pipeline/replicas", "8"}, {"/parallel/context", context}, {"/parallel/context_by", by}})
        .assumptions;
  };
  const std::vector<std::string> ring = assumptions("2", "\"ring\""),
                                 repeated = assumptions("2", "\"ulysses\"");
  ASSERT_EQ(repeated.size(), ring.size() + 1);
  EXPECT_EQ(repeated.back().find(
                "if there are fewer key/value heads than tensor x context devices, they are repeated"),
            0u);
  EXPECT_EQ(assumptions("1", "\"ulysses\""), ring);
}

// The model is Qwen2-VL of 72 B, with 8 devices a rank.
TEST(Experiment, SaysWhatDevicesDoWithImages) {
  const auto says = [](const std::string& words, const std::vector<Setting>& settings) {
    const std::vector<std::string> all =
        read_experiment(shipped("workloads/experiments/qwen2-vl-72b.json"), settings).assumptions;
    return std::ranges::any_of(all, [&](const std::string& one) { return one.starts_with(words); });
  };
  const auto assumed = [&](const std::vector<Setting>& settings) {
    return says("every device of a rank holds the whole encoder", settings);
  };
  const std::string apart =
      R"([{ "name": "apart", "schedule": "1f1b,1f1b", "split": "balanced", "modules": [
        { "blocks": ["enc"], "ranks": 1, "replicas": 4, "tensor": 2 },
        { "blocks": ["llm"], "ranks": 6, "replicas": 4, "tensor": 1 } ] }])";
  EXPECT_TRUE(assumed({}));
  EXPECT_TRUE(assumed({{"/parallel/tensor", "1"}, {"/schedules", apart}, {"/baseline", "apart"}}));
  EXPECT_FALSE(assumed({{"/parallel/images", "repeated"}}));
  EXPECT_FALSE(assumed({{"/parallel/images", "split"}}));
  EXPECT_TRUE(says("tensor parallelism also splits encoders", {{"/parallel/images", "split"}}));
  EXPECT_FALSE(assumed({{"/parallel/tensor", "1"}}));
}

TEST(Experiment, SaysWhatIsRecomputedOfWhichLayers) {
  const auto recomputed = [](std::vector<Setting> settings) {
    for (Setting& setting : settings) setting.pointer = "/model/blocks/0/" + setting.pointer;
    const Experiment e = read_experiment(shipped("workloads/experiments/experiment-a.json"), settings);
    return std::get<AnalyticExperiment>(e.costs).costs.blocks[0].recompute;
  };
  const Recomputation modules = recomputed({{"recompute", R"(["layernorm", "mlp"])"}});
  EXPECT_EQ(modules.what, Recompute::None);
  EXPECT_TRUE(modules.modules.meets(Module::Norms) && modules.modules.meets(Module::Mlp));
  EXPECT_FALSE(modules.modules.meets(Module::CoreAttention));
  EXPECT_EQ(recomputed({{"recompute_layers", "3"}}).first, 3u);
  EXPECT_EQ(recomputed({{"recompute_every", "2"}}).every, 2u);
  EXPECT_EQ(recomputed({{"recompute_together", "4"}}).together, 4u);
  for (const char* beside : {"recompute_every", "recompute_together"})
    EXPECT_EQ(
        complaints([&] {
          recomputed({{"recompute_layers", "3"}, {beside, "2"}});
        }),
        std::vector<std::string>{shipped("workloads/experiments/experiment-a.json") + ": /model/blocks/0/" +
                                 beside + ": expected no such key beside recompute_layers, found 2"});
  EXPECT_EQ(complaints([&] { recomputed({{"recompute", R"(["mpl"])"}}); }).size(), 1u);
}

TEST(Experiment, AIsAnalytic) {
  const Experiment e = read_experiment(shipped("workloads/experiments/experiment-a.json"), {});
  const auto& analytic = std::get<AnalyticExperiment>(e.costs);
  EXPECT_EQ(e.model.blocks()[0].layers, 32u);  // from the vision tower's config.json
  EXPECT_EQ(e.model.blocks()[1].layers, 61u);  // DeepSeek-V3's
  EXPECT_EQ(analytic.costs.platform.name, "CloudMatrix384");
  EXPECT_EQ(analytic.costs.parallelism.tensor, 4u);
  EXPECT_EQ(analytic.costs.parallelism.expert, 32u);
  EXPECT_EQ(analytic.costs.parallelism.data, DataParallel::Zero1);
  EXPECT_TRUE(analytic.costs.parallelism.sequence_parallel);
  EXPECT_EQ(analytic.costs.blocks[0].fixed_per_microbatch, Seconds());
  EXPECT_EQ(analytic.costs.blocks[0].recompute, Recompute::Full);
  EXPECT_EQ(analytic.workload.packing, Packing::Packed);
  EXPECT_EQ(analytic.workload.sequence_tokens, 8192u);
  EXPECT_EQ(analytic.workload.max_patches, 32768u);
  EXPECT_NEAR(analytic.workload.images_per_sample.mean(), 1.59, 0.005);  // the mean of ServeGen's histogram
  ASSERT_EQ(e.fits.size(), 1u);
  EXPECT_EQ(e.fits[0].pointer, "/model/blocks/1/efficiency/compute");
  EXPECT_EQ(e.fits[0].schedule, 1u);
  EXPECT_EQ(e.fits[0].makespan, Seconds(16.26));
}

// The platform is small enough to be part of one experiment: a device, two of them, a link.
TEST(Experiment, BringsItsPlatform) {
  const std::string at = "\"platform\": \"../../platforms/cloudmatrix384.json\"";
  const std::string file = shipped("workloads/experiments/experiment-a.json");
  const std::string inside = content_of(shipped("platforms/ideal.json"));
  std::string text = content_of(file);
  ASSERT_NE(text.find(at), std::string::npos);
  text.replace(text.find(at), at.size(), "\"platform\": " + inside);
  for (const std::string prefix : {"../models/", "../traces/"}) {
    const std::string whole = shipped("workloads/" + prefix.substr(3));
    for (std::size_t i = text.find('"' + prefix); i != std::string::npos; i = text.find('"' + prefix, i + 1))
      text.replace(i + 1, prefix.size(), whole);
  }
  const auto e = read_experiment(written("x.json", text), {});
  EXPECT_EQ(std::get<AnalyticExperiment>(e.costs).costs.platform.name, "ideal");
  const std::vector<Setting> slow = {{"/platform/ports/0/bandwidth_gbps/value", "-3"},
                                     {"/platform/tiers/0/latency_us/source", "\"\""}};
  EXPECT_EQ(complaints([&] { read_experiment(written("x.json", text), slow); }),
            (std::vector<std::string>{
                "x.json: /platform/ports/0/bandwidth_gbps/value: expected a number above 0, found -3",
                "x.json: /platform/tiers/0/latency_us/source: expected text, found \"\""}));
  const std::vector<Setting> wide = {{"/platform/tiers/0/bandwidth_gbps/value", "2000"}};
  EXPECT_EQ(
      complaints([&] { read_experiment(written("x.json", text), wide); }),
      std::vector<std::string>{
          "x.json: /platform/tiers/0/bandwidth_gbps/value: expected at most its port's 1000, found 2000"});
}

TEST(Experiment, CollectivesAsFlows) {
  const std::string file = shipped("workloads/experiments/experiment-a.json");
  EXPECT_EQ(read_experiment(file, {}).collectives, InnerCollectives::Priced);
  const std::vector<Setting> flows = {{"/network", R"({ "collectives": "flows" })"}};
  EXPECT_EQ(read_experiment(file, flows).collectives, InnerCollectives::Flows);
  const std::vector<Setting> wrong = {{"/network", R"({ "collectives": "measured" })"}};
  EXPECT_EQ(complaints([&] { read_experiment(file, wrong); }),
            std::vector<std::string>{file + ": /network/collectives: expected one of \"priced\", \"flows\", "
                                            "found \"measured\""});
  const std::vector<Setting> given = {{"/network/collectives", "\"flows\""}};
  const std::string small = shipped("workloads/experiments/small.json");
  EXPECT_EQ(complaints([&] { read_experiment(small, given); }),
            std::vector<std::string>{
                small + ": /network/collectives: expected a known key: one of \"p2p_ms\", \"reduction_ms\", "
                        "\"p2p\", found \"collectives\""});
}

// Returns a text model on a shipped platform, with `workload` and the keys after it filled in.
std::string text_model(const std::string& workload, const std::string& more = "") {
  return R"({ "schema": "spillway/experiment/1", "name": "x", "pipeline": { "ranks": 2, "microbatches": 2 },
    "platform": ")" +
         shipped("platforms/hgx-h100.json") + R"(",
    "model": { "blocks": [ { "name": "llm", "architecture": ")" +
         shipped("workloads/models/qwen3.5-9b/config.json") + R"(" } ] },
    "workload": )" +
         workload + more + R"(,
    "schedules": [ { "name": "a", "schedule": "1f1b" } ] })";
}

const AnalyticExperiment analytic_of(const Experiment& e) {
  return std::get<AnalyticExperiment>(e.costs);
}

TEST(Experiment, ATextModelNeedsNoTrace) {
  const auto e =
      analytic_of(given(text_model(R"({ "sequence_tokens": 2048, "sequences_per_microbatch": 8 })")));
  EXPECT_EQ(e.workload.packing, Packing::TextOnly);
  EXPECT_EQ(e.workload.sequence_tokens, 2048u);
  EXPECT_EQ(e.workload.sequences_per_microbatch, 8u);
}

TEST(Experiment, ChangesThePlatformItNames) {
  const auto e = analytic_of(given(text_model(R"({ "sequence_tokens": 1, "sequences_per_microbatch": 1 })",
                                              R"(, "platform_set": { "/name": "mine",
           "/accelerator/bf16_tflops": { "value": 7, "kind": "fitted", "source": "a table" } })")));
  EXPECT_EQ(e.costs.platform.name, "mine");
  EXPECT_EQ(e.costs.platform.accelerator.peak.value, FlopsPerSecond(7e12));
  EXPECT_EQ(e.costs.platform.accelerator.peak.evidence, Evidence::Fitted);
}

TEST(Experiment, BadChangesOfThePlatformAreTheExperimentsOwn) {
  const std::string workload = R"({ "sequence_tokens": 1, "sequences_per_microbatch": 1 })";
  const auto refused = [&](const std::string& changes) {
    return experiment_complaints(text_model(workload, ", \"platform_set\": " + changes));
  };
  EXPECT_EQ(
      refused(R"({ "/accelerator/bf16_tflops/value": -1 })"),
      std::vector<std::string>{
          "x.json: /platform_set/~1accelerator~1bf16_tflops~1value: expected a number above 0, found -1"});
  EXPECT_EQ(
      refused(R"({ "/accelerator/bf16_tflops": { "value": -1, "kind": "fitted", "source": "a" } })"),
      std::vector<std::string>{
          "x.json: /platform_set/~1accelerator~1bf16_tflops/value: expected a number above 0, found -1"});
  EXPECT_EQ(
      refused(R"({ "/acelerator/name": "x" })"),
      std::vector<std::string>{"x.json: /platform_set/~1acelerator~1name: expected a known key, such as "
                               "\"accelerator\", found \"acelerator\""});
  EXPECT_EQ(refused("[]"),
            std::vector<std::string>{"x.json: /platform_set: expected an object with values by JSON pointer "
                                     "into the platform file, found an empty list"});
}

TEST(Experiment, ABlockMayAskForUnfusedAttentionAndPrediction) {
  const Experiment e = read_experiment(shipped("workloads/experiments/experiment-a.json"),
                                       {{"/model/blocks/1/attention", "unfused"},
                                        {"/model/blocks/1/multi_token_prediction", "true"},
                                        {"/schedules/1/layers_per_rank/15", "5"}});
  EXPECT_EQ(e.model.blocks()[1].layers, 62u);
  const auto& costs = std::get<AnalyticExperiment>(e.costs).costs;
  EXPECT_FALSE(std::get<TextModel>(costs.blocks[1].architecture).fused_attention);
}

// An image generator follows the backbone; its width may equal the backbone's or differ.
TEST(Experiment, AGeneratorMayBeADiffusionTransformer) {
  const Experiment e =
      read_experiment(shipped("workloads/experiments/experiment-b.json"),
                      {{"/model/blocks/0/name", "llm"},
                       {"/model/blocks/0/role", "backbone"},
                       {"/model/blocks/1/name", "gen"},
                       {"/model/blocks/1/role", "generator"},
                       {"/model/blocks/1/architecture", shipped("workloads/models/dit-xl-2/config.json")},
                       {"/schedules/1/layers_per_rank", "[4, 4, 8, 8, 9, 9, 9, 9]"}});
  EXPECT_EQ(e.model.blocks()[1].layers, 28u);
  EXPECT_EQ(e.model.blocks()[1].role, Role::Generator);
}

}  // namespace
}  // namespace spillway
