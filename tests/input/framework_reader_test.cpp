// Frameworks: key by key, the shipped ones, and bad ones.
#include "input/platform/framework_reader.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "input/experiment/experiment.h"
#include "json/settings.h"
#include "written.h"

namespace spillway {
namespace {

Framework framework_of(const std::string& text) {
  const Files files;
  return read_framework(written("f.json", text), {}, files);
}

std::string stated_number(double value) {
  return R"({ "value": )" + std::to_string(value) + R"(, "kind": "measured", "source": "s" })";
}

TEST(FrameworkReader, LossInChunks) {
  const auto read = [](const std::string& loss) {
    return framework_of(R"({ "schema": "spillway/framework/1", "name": "f", "chunked_loss": {)" + loss +
                        "} }")
        .chunked_loss;
  };
  const std::string source = R"(, "kind": "vendor", "source": "code")";
  const auto forward = read(R"("gradients": "forward")" + source);
  EXPECT_TRUE(forward->gradients_in_forward);
  EXPECT_FALSE(forward->chunks);
  EXPECT_EQ(forward->source, "code");
  const auto again = read(R"("gradients": "backward", "chunks": )" + stated_number(8) + source);
  EXPECT_FALSE(again->gradients_in_forward);
  EXPECT_EQ(again->chunks->value, 8);
  EXPECT_ANY_THROW(read(R"("gradients": "both")" + source));
  EXPECT_ANY_THROW(read(R"("gradients": "forward")"));
}

TEST(FrameworkReader, UnitsAndSources) {
  const Framework f = framework_of(
      R"({ "schema": "spillway/framework/1", "name": "f", "note": "n",
    "launch_us": )" +
      stated_number(5) + R"(, "message_us": )" + stated_number(7) + R"(, "update_us": )" + stated_number(8) +
      R"(, "collective_us": )" + stated_number(6) +
      R"(, "fused_loss": false, "pads_values": true, "recompute_stops_early": true, "scatter_gather": true,
    "attention": { "kernel": "flash-2", "kind": "vendor", "source": "code" },
    "attends_across_documents": { "value": true, "kind": "derived", "source": "code" },
    "pads_to": { "value": "batch", "kind": "assumed", "source": "a guess" },
    "stage_kernels": )" +
      stated_number(9) + R"(, "gradient_bucket_mb": )" + stated_number(40) + R"(,
    "encoder_operators": { "gemm": { "waits": )" +
      stated_number(1) + R"(, "gradient_sum_bytes": )" + stated_number(16) + R"( } }, "gradient_bytes": )" +
      stated_number(2) + R"(, "gradient_buffer_bytes": )" + stated_number(2) + R"(, "hidden": { "tensor": )" +
      stated_number(0.5) + R"(, "chunks": )" + stated_number(0.375) + R"(, "data": )" + stated_number(0.25) +
      R"(, "fused": )" + stated_number(0.75) + R"( }, "operators": { "gemm": { "forward_kernels": )" +
      stated_number(2) + R"( }, "rotary": { "traffic": )" + stated_number(3) + R"(, "gradient_traffic": )" +
      stated_number(4) + R"(, "live": )" + stated_number(2.5) + R"(, "gradient_live": )" + stated_number(6) +
      R"( } } })");
  EXPECT_DOUBLE_EQ(f.launch->value.value(), 5e-6);
  EXPECT_EQ(f.gradient_buffer.value, Bytes(2));
  EXPECT_DOUBLE_EQ(f.message.value.value(), 7e-6);
  EXPECT_DOUBLE_EQ(f.collective.value.value(), 6e-6);
  EXPECT_DOUBLE_EQ(f.update.value.value(), 8e-6);
  EXPECT_FALSE(f.fused_loss);
  EXPECT_TRUE(f.pads_values);
  EXPECT_TRUE(f.recompute_stops_early);
  EXPECT_TRUE(f.scatter_gather);
  EXPECT_EQ(f.attention->value, "flash-2");
  EXPECT_EQ(f.attends_across_documents, (Sourced<bool>{true, Evidence::Derived, "code"}));
  EXPECT_EQ(f.pads_to, (Sourced<PadsTo>{PadsTo::Batch, Evidence::Assumed, "a guess"}));
  EXPECT_EQ(f.gradient.value, Bytes(2));
  EXPECT_EQ(f.hidden_tensor.value, 0.5);
  EXPECT_EQ(f.hidden_chunks->value, 0.375);
  EXPECT_EQ(f.hidden_data.value, 0.25);
  EXPECT_EQ(f.stage_kernels.value, 9);
  EXPECT_EQ(f.gradient_bucket.value, Bytes(40e6));
  EXPECT_EQ(f.encoder_operators.at("gemm").waits->value, 1);
  EXPECT_EQ(f.encoder_operators.at("gemm").gradient_sum->value, Bytes(16));
  EXPECT_EQ(f.hidden_fused.value, 0.75);
  EXPECT_EQ(f.operators.at("gemm").forward_kernels->value, 2);
  EXPECT_FALSE(f.operators.at("gemm").traffic);
  EXPECT_EQ(f.operators.at("rotary").traffic->value, 3);
  EXPECT_EQ(f.operators.at("rotary").gradient_traffic->value, 4);
  EXPECT_EQ(f.operators.at("rotary").live->value, 2.5);
  EXPECT_EQ(f.operators.at("rotary").gradient_live->value, 6);
  EXPECT_EQ(f.operators.at("rotary").traffic->evidence, Evidence::Measured);
}

std::string stated_word(const std::string& word) {
  return R"({ "value": ")" + word + R"(", "kind": "vendor", "source": "s" })";
}

TEST(FrameworkReader, TheEndOfAStep) {
  const Framework f =
      framework_of(R"({ "schema": "spillway/framework/1", "name": "f", "step_end": {
    "reductions": )" +
                   stated_word("after-backward") + R"(, "gradients": )" + stated_word("all-reduce") +
                   R"(, "parameters": )" + stated_word("broadcasts") + R"(, "averages": )" +
                   stated_number(0) + R"(, "checks": )" + stated_number(2) + R"(, "clips": )" +
                   stated_number(0.5) + R"(, "norms": )" + stated_number(3) + R"(, "losses": )" +
                   stated_number(4) + R"(, "between_us": )" + stated_number(5) + " } }");
  EXPECT_EQ(f.reductions->value, ReductionStart::AfterBackward);
  EXPECT_EQ(f.reductions->evidence, Evidence::Vendor);
  EXPECT_EQ(f.gradient_sum->value, GradientSum::AllReduce);
  EXPECT_EQ(f.parameters->value, ParameterReturn::Broadcasts);
  EXPECT_EQ(f.gradient_averages->value, 0);
  EXPECT_EQ(f.gradient_checks.value, 2);
  EXPECT_EQ(f.clipped_steps.value, 0.5);
  EXPECT_EQ(f.norm_waits.value, 3);
  EXPECT_EQ(f.loss_waits.value, 4);
  EXPECT_DOUBLE_EQ(f.between_steps.value.value(), 5e-6);
}

TEST(FrameworkReader, RefusesAnEndThatSaysNotWhenReductionsBegin) {
  const auto wrong = [](const std::string& end) {
    return complaints([&] {
      framework_of(R"({ "schema": "spillway/framework/1", "name": "f", "step_end": )" + end + " }");
    });
  };
  Lines found = wrong(R"({ "norms": )" + stated_number(1) + " }");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("/step_end/reductions"), std::string::npos) << found[0];
  found = wrong(R"({ "reductions": )" + stated_word("soon") + R"(, "norm": )" + stated_number(1) + " }");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NE((found[0] + found[1]).find("after-backward"), std::string::npos) << found[0];
  EXPECT_NE((found[0] + found[1]).find("/step_end/norm"), std::string::npos) << found[1];
}

TEST(FrameworkReader, ReadsHowShardedStatesRun) {
  const Framework f = framework_of(
      R"({ "schema": "spillway/framework/1", "name": "f", "launch_us": )" + stated_number(5) +
      R"(, "sharding": { "weights": )" + stated_word("main") + R"(, "reduces": )" + stated_word("step") +
      R"(, "synchronizes": )" + stated_word("device") + R"(, "gather_bytes": )" + stated_number(4) +
      R"(, "reduce_bytes": )" + stated_number(6) + R"(, "layer_us": )" + stated_number(700) + " } }");
  EXPECT_TRUE(f.sharding.main_weights());
  EXPECT_TRUE(f.sharding.reduces_once());
  EXPECT_EQ(f.sharding.wait(), LayerWait::Device);
  EXPECT_EQ(f.sharding.gather.value, Bytes(4));
  EXPECT_EQ(f.sharding.reduce.value, Bytes(6));
  EXPECT_DOUBLE_EQ(f.sharding.layer.value.value(), 700e-6);
  const Framework none = framework_of(R"({ "schema": "spillway/framework/1", "name": "f" })");
  EXPECT_FALSE(none.sharding.main_weights() || none.sharding.reduces_once());
  EXPECT_EQ(none.sharding.wait(), LayerWait::None);
  const Lines found = complaints([] {
    framework_of(R"({ "schema": "spillway/framework/1", "name": "f", "sharding": { "weights": )" +
                 stated_word("fp8") + R"(, "hooks": 1 } })");
  });
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NE((found[0] + found[1]).find("/sharding/weights/value"), std::string::npos);
  EXPECT_NE((found[0] + found[1]).find("/sharding/hooks"), std::string::npos);
}

std::string with_graphs(const std::string& covers) {
  return R"({ "schema": "spillway/framework/1", "name": "f", "launch_us": )" + stated_number(5) +
         R"(, "graph_launch_us": )" + stated_number(12) + R"(, "kernels_per_expert": true, "operators":
         { "router": { "forward_host_us": )" +
         stated_number(3) + R"(, "gradient_host_us": )" + stated_number(4) +
         R"( } }, "graphs": { "kind": "vendor", "source": "s", "covers": )" + covers + " } }";
}

TEST(FrameworkReader, ReadsTheHostsGraphs) {
  const Framework f = framework_of(with_graphs(R"(["attn", "moe_router"])"));
  EXPECT_EQ(f.graphs->value, GraphCover().with(GraphPart::Attention).with(GraphPart::Router));
  EXPECT_EQ(f.graphs->evidence, Evidence::Vendor);
  EXPECT_DOUBLE_EQ(f.graph_launch.value.value(), 12e-6);
  EXPECT_TRUE(f.kernels_per_expert);
  EXPECT_DOUBLE_EQ(f.operators.at("router").forward_host->value.value(), 3e-6);
  EXPECT_DOUBLE_EQ(f.operators.at("router").gradient_host->value.value(), 4e-6);
  EXPECT_EQ(framework_of(with_graphs(R"("step")")).graphs->value, GraphCover::step());
  EXPECT_EQ(framework_of(with_graphs(R"("none")")).graphs->value, GraphCover());
}

TEST(FrameworkReader, RefusesGraphsOverWhatIsNoPartOfALayer) {
  for (const char* covers : {R"("layers")", R"(["attn", "vision"])", "[]", "1"}) {
    const Lines found = complaints([&] { framework_of(with_graphs(covers)); });
    ASSERT_EQ(found.size(), 1u) << covers;
    EXPECT_NE(found[0].find("/graphs/covers"), std::string::npos) << found[0];
  }
}

TEST(FrameworkReader, RefusesWhatNoOperatorHas) {
  const Lines found = complaints([] {
    framework_of(R"({ "schema": "spillway/framework/1", "name": "f",
              "operators": { "norms": {}, "gemm": { "traffic": { "value": 2, "kind": "measured", "source": "s" } } } })");
  });
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NE(found[0].find("/operators/norms: expected an operator: gemm, grouped_gemm"), std::string::npos);
  EXPECT_NE(found[1].find("/operators/gemm/traffic"), std::string::npos);
}

TEST(FrameworkReader, RefusesHowNoSampleAttendsOrIsPadded) {
  const Lines found = complaints([] {
    framework_of(R"({ "schema": "spillway/framework/1", "name": "f",
              "attends_across_documents": { "value": "yes", "kind": "derived", "source": "s" },
              "pads_to": { "value": "longest", "kind": "derived" } })");
  });
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NE(found[0].find("/attends_across_documents/value: expected true or false"), std::string::npos)
      << found[0];
  EXPECT_NE(found[1].find("/pads_to/value: expected one of \"none\", \"microbatch\", \"batch\""),
            std::string::npos)
      << found[1];
  EXPECT_NE(found[2].find("/pads_to/source"), std::string::npos) << found[2];
}

TEST(ShippedFrameworks, ReadAndSayWhereTheyAreFrom) {
  int checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shipped("platforms/frameworks"))) {
    const Files files;
    EXPECT_FALSE(read_framework(entry.path().string(), {}, files).name.empty());
    ++checked;
  }
  EXPECT_GE(checked, 4);
}

Lines wrong_with_framework(std::vector<Setting> settings) {
  return complaints([&] { read_experiment(shipped("workloads/experiments/qwen2-vl-72b.json"), settings); });
}

TEST(ExperimentsFramework, RunsOnItsPlatform) {
  const Setting flash{"/framework", R"({"schema": "spillway/framework/1", "name": "f",
    "attention": {"kernel": "flash-9", "kind": "vendor", "source": "s"}})"};
  const Lines found = wrong_with_framework({flash});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("/framework/attention/kernel: expected one of the attention kernels of"),
            std::string::npos)
      << found[0];
}

// The experiment has only the framework's name, so the message is at that key.
TEST(ExperimentsFramework, OfAFileIsRefusedAtItsName) {
  const std::string file = written("picky.json", R"({"schema": "spillway/framework/1", "name": "picky",
    "attention": {"kernel": "flash-2", "kind": "vendor", "source": "s"}})");
  const Lines found = wrong_with_framework({{"/framework", '"' + file + '"'}, {"/platform", R"("b200")"}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(
      found[0].find("/framework: expected no attention kernel: NVIDIA B200 SXM states none, or "
                    "\"otherwise\": \"accelerator\" beside it, found \"flash-2\" at /attention/kernel of " +
                    file),
      std::string::npos)
      << found[0];
}

TEST(ExperimentsFramework, NamesWhatIsTakenOtherwise) {
  const Lines found = wrong_with_framework({{"/framework", R"({"schema": "spillway/framework/1", "name": "f",
    "attention": {"kernel": "flash-9", "kind": "vendor", "source": "s", "otherwise": "nothing"}})"}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("/framework/attention/otherwise: expected \"accelerator\", found \"nothing\""),
            std::string::npos)
      << found[0];
}

TEST(ExperimentsFramework, ChangesOfItAreBlamedOnTheExperiment) {
  const std::string file = '"' + shipped("platforms/frameworks/llm-foundry.json") + '"';
  EXPECT_EQ(wrong_with_framework({{"/framework", file}}), Lines{});
  const Lines found = wrong_with_framework({{"/framework", file}, {"/framework_set/~1launch_us", "3"}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("qwen2-vl-72b.json: /framework_set/~1launch_us"), std::string::npos) << found[0];
  EXPECT_EQ(wrong_with_framework({{"/framework_set/~1launch_us", "3"}}).size(), 1u);
}

}  // namespace
}  // namespace spillway
