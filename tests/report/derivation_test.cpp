#include "report/order/derivation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "evaluations.h"
#include "schedule/placed_orders.h"

namespace spillway::testing {
namespace {

using nlohmann::json;

std::string written(const Derived& derived, DerivationFormat format) {
  std::ostringstream out;
  write_derivation(out, derived, format);
  return out.str();
}

TEST(DerivationJson, PlacementAndCollectivesByTheContract) {
  const json derivation = json::parse(written(two_by_two(), DerivationFormat::Json));
  EXPECT_EQ(derivation["placement"], json::parse(R"([
    {"region": "enc", "layout": "Replicated", "owner": {"by_microbatch": [0, 1]}},
    {"region": "llm", "layout": "Sharded", "owner": {"by_layer": [{"rank": 0, "first": 1, "end": 2},
                                                                  {"rank": 1, "first": 2, "end": 3}]}}])"));
  EXPECT_EQ(derivation["collectives"]["seams"],
            json::parse(R"([{"seam": ["enc", "llm"], "forward": "Gather", "backward": null}])"));
  EXPECT_EQ(derivation["collectives"]["reduces"],
            json::parse(R"([{"region": "llm", "group": "DataGroup"}])"));
}

TEST(DerivationJson, EveryEventAndEdgeOfTheOrder) {
  const Derived derived = two_by_two();
  const json order = json::parse(written(derived, DerivationFormat::Json))["order"];
  ASSERT_EQ(order["nodes"].size(), 2u);
  EXPECT_EQ(order["nodes"]["0"], json::parse(R"j(["Coll(Gather,enc-llm,2)", "Fwd(enc,0,1)",
    "Coll(Gather,enc-llm,1)", "Fwd(llm,0,1)", "Coll(RecvGrad,llm:1-0,1)", "Coll(Send,llm:0-1,1)", "Fwd(llm,0,2)",
    "Coll(RecvGrad,llm:1-0,2)", "Coll(Send,llm:0-1,2)", "Bwd(llm,0,1)", "Bwd(llm,0,2)",
    "DpReduce(llm:0,DataGroup)", "StepBarrier"])j"));
  EXPECT_EQ(order["nodes"]["1"],
            json::parse(R"j(["Coll(Send,llm:0-1,1)", "Fwd(enc,1,2)", "Coll(Send,llm:0-1,2)",
    "Coll(Gather,enc-llm,2)", "Fwd(llm,1,1)", "Loss(1)", "Bwd(llm,1,1)", "Coll(RecvGrad,llm:1-0,1)",
    "Fwd(llm,1,2)", "Loss(2)", "Bwd(llm,1,2)", "DpReduce(llm:1,DataGroup)", "Coll(RecvGrad,llm:1-0,2)",
    "StepBarrier"])j"));
  ASSERT_EQ(order["edges"].size(), derived.order.edge_count());
  const json first_activation = {
      {"from", "Fwd(enc,0,1)"}, {"to", "Coll(Gather,enc-llm,1)"}, {"kind", "Activation"}};
  EXPECT_NE(std::find(order["edges"].begin(), order["edges"].end(), first_activation), order["edges"].end());
}

TEST(DerivationText, ReadsLikeTheDerivation) {
  const std::string text = written(two_by_two(), DerivationFormat::Text);
  for (const char* part :
       {"schedule transpose,1f1b over 2 ranks, 2 microbatches, 1 replica; ", "enc      Replicated frozen",
        "1->0, 2->1", "seam enc-llm: forward Gather, backward none", "reduce llm over its DataGroup",
        "rank 1    Coll(Send,llm:0-1,1) Fwd(enc,1,2) "})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
}

// Two microbatches of a backbone run on two ranks; the lists leave the encoder out.
TEST(DerivationCsv, IsThePipelinedRegionsAsActionLists) {
  EXPECT_EQ(written(two_by_two(), DerivationFormat::Csv),
            "0F0 [layers=1],0F1,0B0,0B1\n1F0 [layers=1],1B0,1F1,1B1\n");
}

// Five layers on two ranks are three and two by count, so the lists need not state them.
TEST(DerivationCsv, SaysHowManyLayersStagesHoldWhereCountingWouldNotGiveThem) {
  const Model model({{"llm", Role::Backbone, 5, true}});
  const auto lists = [&](std::vector<std::uint32_t> layers) {
    DeriveOptions options{.pipeline = {2, 1}};
    options.layers_per_rank = std::move(layers);
    return written(derive(model, schedule("1f1b"), Cut{}, options), DerivationFormat::Csv);
  };
  EXPECT_EQ(lists({}), "0F0,0B0\n1F0,1B0\n");
  EXPECT_EQ(lists({3, 2}), "0F0,0B0\n1F0,1B0\n");
  EXPECT_EQ(lists({2, 3}), "0F0 [layers=2],0B0\n1F0 [layers=3],1B0\n");
}

// Two interleaved regions make four stages, and the lists are the skeleton's own.
TEST(DerivationCsv, NumbersStagesThroughAllRegions) {
  const Model model({{"llm", Role::Backbone, 8, true}});
  const Derived derived = derive(model, schedule("1f1b,1f1b"), Cut{{4}}, {.pipeline = {2, 4}});
  const RunShape shape{2, 4, 2, 2};
  EXPECT_EQ(action_lists_of(derived),
            to_action_lists(SkeletonKind::OneFOneB, shape, rank_orders(SkeletonKind::OneFOneB, shape)));
}

TEST(DerivationFormats, AreKnownByName) {
  EXPECT_EQ(derivation_format_from("graphml"), DerivationFormat::GraphMl);
  EXPECT_EQ(derivation_format_from("yaml"), std::nullopt);
  EXPECT_EQ(written(two_by_two(), DerivationFormat::Dot).find("digraph"), 0u);
  EXPECT_NE(written(two_by_two(), DerivationFormat::GraphMl).find("<graphml"), std::string::npos);
}

}  // namespace
}  // namespace spillway::testing
