// Refusals of entries of `schedules` that name a system.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "json/schema.h"
#include "random_job.h"

namespace spillway {
namespace {

using testing::SystemTestJob;

std::string refusal(const std::string& entry, const SystemTestJob& job = {}) {
  try {
    job.under(R"({ "name": "s", )" + entry + " }");
    return "";
  } catch (const InputError& error) {
    const Violation& first = error.violations().front();
    return first.pointer + ": expected " + first.expected + ", found " + first.found;
  }
}

TEST(BadSystem, OptionsOfAnotherAreRefusedByName) {
  EXPECT_EQ(refusal(R"("system": "megatron", "owner": "greedy")"),
            "/schedules/0/owner: expected no such key of megatron, which takes body, microbatch_group, found "
            "\"greedy\"");
  EXPECT_EQ(refusal(R"("system": "mpipe", "encoder_ranks": 2)"),
            "/schedules/0/encoder_ranks: expected no such key of mpipe, which takes body, split, owner, "
            "owner_from, order, microbatch_group, found 2");
}

TEST(BadSystem, UnknownKeysAreHeldAgainstTheKnownOnes) {
  EXPECT_NE(refusal(R"("system": "mpipe", "ownr": "greedy")").find("owner"), std::string::npos);
  EXPECT_NE(refusal(R"("system": "mpipe", "schedule": "1f1b")").find("no such key beside system"),
            std::string::npos);
  EXPECT_NE(refusal(R"("system": "mpip")").find("mpipe"), std::string::npos);
}

TEST(BadSystem, NeedsAnEncoderAndItsRanks) {
  SystemTestJob job;
  job.ranks = 1;
  EXPECT_EQ(refusal(R"("system": "disttrain")", job),
            "/schedules/0/system: expected a pipeline of at least 2 ranks, at least one per module, found 1");
  job = {.ranks = 2, .generator = 2};
  EXPECT_EQ(refusal(R"("system": "disttrain")", job),
            "/schedules/0/system: expected a pipeline of at least 3 ranks, at least one per module, found 2");
  EXPECT_EQ(refusal(R"("system": "disttrain", "encoder_ranks": 4)"),
            "/schedules/0/encoder_ranks: expected a number from 1 to 3, found 4");
  job = {.ranks = 8, .encoder = 5, .backbone = 2};
  const std::string at_most = ": expected a pipeline of at most 7 ranks, so that each has a layer, found 8";
  EXPECT_EQ(refusal(R"("system": "disttrain")", job), "/schedules/0/system" + at_most);
  EXPECT_EQ(refusal(R"("system": "disttrain", "chunks": 2)", job), "/schedules/0/system" + at_most);
  EXPECT_EQ(refusal(R"("system": "disttrain", "encoder_ranks": 1)", job),
            "/schedules/0/encoder_ranks" + at_most);
}

TEST(BadSystem, AGeneratorIsRefusedWhereItsAuthorsHaveNone) {
  const SystemTestJob job{.ranks = 4, .encoder = 4, .generator = 4};
  std::set<std::string> refusing;
  for (const System& system : systems()) {
    const std::string name(system.name), said = refusal(R"("system": ")" + name + '"', job);
    if (said.empty()) continue;
    refusing.insert(name);
    EXPECT_EQ(said,
              "/schedules/0/system: expected a model without a generator: " + name +
                  "'s authors do not describe one; systems that take one: megatron, megatron-balanced, dip, "
                  "disttrain, mimo, mpipe, mpipe-released, found block gen");
  }
  EXPECT_EQ(refusing, (std::set<std::string>{"encode-first", "encode-in-bubbles", "entrain", "megascale-omni",
                                             "optimus", "orchmllm"}));
}

TEST(BadSystem, LayersOfStagesReplaceItsSplit) {
  EXPECT_EQ(refusal(R"("system": "optimus", "cut": [2])"),
            "/schedules/0/cut: expected no such key without layers_per_rank, since the system cuts the "
            "model, found a "
            "list of 1");
  EXPECT_EQ(
      refusal(R"("system": "mpipe", "split": "joint", "layers_per_rank": [1])"),
      "/schedules/0/split: expected no such key, since layers_per_rank states the split, found \"joint\"");
  EXPECT_TRUE(
      refusal(R"("system": "mpipe", "layers_per_rank": [1])").starts_with("/schedules/0/layers_per_rank"));
}

TEST(BadSystem, TakesTheBodiesItCan) {
  EXPECT_EQ(refusal(R"("system": "megatron", "body": "zb-v")"),
            "/schedules/0/body: expected 1f1b, or interleaved 1F1B, such as 1f1b,1f1b, found zb-v");
  EXPECT_EQ(refusal(R"("system": "mpipe", "body": "transpose,1f1b")"),
            "/schedules/0/body: expected pipelined regions only, without transpose and listed, found "
            "transpose,1f1b");
  EXPECT_EQ(refusal(R"("system": "disttrain", "body": "zb-v")"),
            "/schedules/0/body: expected one pipelined region with one stage per rank, or 1f1b repeated, "
            "such as 1f1b,1f1b, found zb-v");
  EXPECT_EQ(refusal(R"("system": "disttrain", "body": "gpipe,gpipe")"),
            "/schedules/0/body: expected one pipelined region with one stage per rank, or 1f1b repeated, "
            "such as 1f1b,1f1b, found "
            "gpipe,gpipe");
  EXPECT_EQ(refusal(R"("system": "disttrain", "body": "1f1b,1f1b")"), "");
  EXPECT_NE(refusal(R"("system": "mpipe", "body": "1f2b")").find("/schedules/0/body: "), std::string::npos);
  EXPECT_EQ(refusal(R"("system": "mpipe", "body": "zb-v")"), "");
}

TEST(BadSystem, LayersThatTheReleasedRuntimeCannotTakeAreNamed) {
  SystemTestJob job{.ranks = 4, .encoder = 7, .backbone = 17};
  EXPECT_EQ(refusal(R"("system": "mpipe-released", "transposed_layers": 6)", job),
            "/schedules/0/transposed_layers: expected the 7 layers of the encoder, or fewer layers than the "
            "first stage has, 6, found 6");
  EXPECT_EQ(refusal(R"("system": "mpipe-released", "transposed_layers": 5)", job), "");
  EXPECT_EQ(
      refusal(R"("system": "mpipe-released", "owner_backward": true, "transposed_layers": 0)", job),
      "/schedules/0/owner_backward: expected false, since only trained transposed layers have a backward, "
      "found true, with no transposed layers");
  EXPECT_NE(refusal(R"("system": "mpipe-released", "owner_backward": 1)", job)
                .find("/schedules/0/owner_backward: "),
            std::string::npos);
  job.trained = false;
  EXPECT_EQ(
      refusal(R"("system": "mpipe-released", "owner_backward": true)", job),
      "/schedules/0/owner_backward: expected false, since only trained transposed layers have a backward, "
      "found true, with frozen layers");
}

TEST(BadSystem, ReorderingsAreOfDistTrainAlone) {
  EXPECT_EQ(refusal(R"("system": "megatron", "balance_samples": true)"),
            "/schedules/0/balance_samples: expected no such key of megatron, which takes body, "
            "microbatch_group, found true");
  EXPECT_NE(refusal(R"("system": "disttrain", "balance_samples": 1)").find("/schedules/0/balance_samples: "),
            std::string::npos);
  EXPECT_NE(refusal(R"("system": "disttrain", "order": "fill-interval")").find("fill-intervals"),
            std::string::npos);
}

TEST(BadSystem, SharesThatDoNotAddUpAreNamed) {
  SystemTestJob job{.ranks = 4, .microbatches = 8, .replicas = 4};
  EXPECT_EQ(refusal(R"("system": "mimo", "macro_batch": 3)", job),
            "/schedules/0/macro_batch: expected a divisor of the 2 microbatches of a rank, found 3");
  EXPECT_EQ(refusal(R"("system": "megascale-omni", "group_replicas": 3)", job),
            "/schedules/0/group_replicas: expected a divisor of the 4 replicas, found 3");
  job.microbatches = 10;
  EXPECT_EQ(
      refusal(R"("system": "mimo", "macro_batch": 1)", job),
      "/schedules/0/macro_batch: expected no such key, since 4 ranks do not share 10 microbatches evenly, "
      "found 1");
  EXPECT_EQ(refusal(R"("system": "mimo", "prefetch": true)", job),
            "/schedules/0/prefetch: expected false, since a trained encoder's outputs depend on the step "
            "that uses them, found true, with a trained encoder");
  EXPECT_NE(refusal(R"("system": "mimo", "prefetch": 1)", job).find("/schedules/0/prefetch: "),
            std::string::npos);
}

TEST(BadSystem, SegmentsThatDoNotFitAreNamed) {
  SystemTestJob job{.ranks = 4, .microbatches = 8, .encoder = 4, .backbone = 8};
  EXPECT_EQ(refusal(R"("system": "dip", "segments": [1, 1, 1])", job),
            "/schedules/0/segments: expected [1], or one number of segments for each of the 2 modules, in "
            "their order from the input, found "
            "[1, 1, 1]");
  EXPECT_EQ(refusal(R"("system": "dip", "segments": [2, 2])", job),
            "/schedules/0/segments/0: expected few enough segments: each needs a layer on each of 4 ranks, "
            "out of 4 layers, found [2, 2]");
  EXPECT_EQ(refusal(R"("system": "dip", "segments": [1], "sub_microbatches": 2)", job),
            "/schedules/0/sub_microbatches: expected 1, since encoder and backbone share one segment, whose "
            "stages hold both, found 2");
  EXPECT_NE(refusal(R"("system": "dip", "segments": [0, 1])", job).find("/schedules/0/segments/0: "),
            std::string::npos);
  job.draws = 1;  // two samples per microbatch
  EXPECT_EQ(refusal(R"("system": "dip", "sub_microbatches": 3)", job),
            "/schedules/0/sub_microbatches: expected a divisor of the 2 samples of a microbatch, found 3");
  job.microbatches = 10;
  EXPECT_EQ(refusal(R"("system": "dip")", job), "");
  job.encoder = 3;
  EXPECT_EQ(
      refusal(R"("system": "dip")", job),
      "/schedules/0/system: expected few enough segments: each needs a layer on each of 4 ranks, out of 3 "
      "layers, found [1, 1] by DIP's rule");
}

TEST(BadSystem, TermsThatCannotBeHadAreNamed) {
  const SystemTestJob job{
      .ranks = 4, .microbatches = 8, .replicas = 2, .encoder = 4, .backbone = 8, .draws = 1};
  EXPECT_EQ(refusal(R"("system": "mpipe", "moves_samples": true, "knows_draw": false)", job),
            "/schedules/0/moves_samples: expected false, since knows_draw is false and moving samples needs "
            "their sizes, found true");
  EXPECT_EQ(refusal(R"("system": "megatron", "knows_draw": true)", job),
            "/schedules/0/knows_draw: expected false, or true together with moves_samples: nothing else in "
            "the layout of megatron depends on sizes, found true");
  EXPECT_EQ(refusal(R"("system": "mpipe", "knows_draw": true, "owner_from": "draw")", job),
            "/schedules/0/owner_from: expected no such key beside knows_draw, which states the same, found "
            "\"draw\"");
  EXPECT_EQ(refusal(R"("system": "mpipe", "chunks": 2, "body": "1f1b")", job),
            "/schedules/0/body: expected no such key beside chunks, which states their number, found "
            "\"1f1b\"");
  EXPECT_EQ(refusal(R"("system": "mpipe", "knows_draw": false, "order": "heaviest-first")", job),
            "/schedules/0/order: expected as-sampled, since knows_draw is false and every other order needs "
            "each draw's sizes, found an order that needs sizes");
  EXPECT_EQ(refusal(R"("system": "dip", "chunks": 4)", job),
            "/schedules/0/chunks: expected 1, or at least one segment for each of 2 modules, with at least "
            "one layer per stage: at most 3, found 4");
  EXPECT_EQ(refusal(R"("system": "disttrain", "chunks": 9)", job),
            "/schedules/0/chunks: expected at most 8 regions, so that each stage has a layer of the last "
            "module, found "
            "9");
  EXPECT_EQ(refusal(R"("system": "mpipe", "chunks": 3)", job).find("/schedules/0/chunks: "), 0U);
}

TEST(BadSystem, AnEncoderAloneHasNothingToFeed) {
  const std::string document =
      R"({ "schema": "spillway/experiment/1", "name": "text", "pipeline": { "ranks": 2, "microbatches": 2 },
           "model": { "blocks": [ )" +
      SystemTestJob::block("llm", 4, 1, true) +
      R"( ] }, "schedules": [ { "name": "s", "system": "mpipe" } ] })";
  try {
    parse_experiment(document, "job.json", {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(to_string(error.violations().front()),
              "job.json: /schedules/0/system: expected a model whose first blocks are an encoder, followed "
              "by at least one other block, "
              "found a model that begins with block llm");
  }
}

// The table of systems and the schema list the same names and keys.
TEST(Systems, AreThoseOfTheSchema) {
  const auto schema = nlohmann::json::parse(json_schema("experiment").value());
  const auto& entry = schema["definitions"]["system_entry"]["properties"];
  std::set<std::string> names, options = {"name", "system", "layers_per_rank", "cut", "planning_ms"};
  options.insert(kTermKeys.begin(), kTermKeys.end());
  for (const System& system : systems()) {
    names.insert(std::string(system.name));
    options.insert(system.options.begin(), system.options.end());
  }
  EXPECT_EQ(entry["system"]["enum"].get<std::set<std::string>>(), names);
  std::set<std::string> keys;
  for (const auto& [key, value] : entry.items()) keys.insert(key);
  EXPECT_EQ(keys, options);
}

}  // namespace
}  // namespace spillway
