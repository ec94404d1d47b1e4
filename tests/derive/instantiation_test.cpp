// Checks the paper's two derivations (section 3.1, "Instantiation" and "A second derivation") event by event
// and edge by edge, for two ranks and two microbatches.
#include <gtest/gtest.h>

#include "support/order_text.h"
#include "support/pipelines.h"

namespace spillway::testing {
namespace {

using Lines = std::vector<std::string>;

Derived mpipe(bool trainable_encoder) {
  const Model model({{"enc", Role::Encoder, 1, trainable_encoder}, {"llm", Role::Backbone, 2, true}});
  return derive(model, schedule("transpose,1f1b"), {{1}}, {.pipeline = {2, 2}});
}

// Microbatch 1 is encoded on rank 0, microbatch 2 on rank 1.
const Lines kFrozenEdges{
    "Fwd(enc,0,1) -Activation-> Coll(Gather,enc-llm,1)",
    "Coll(Gather,enc-llm,1) -Activation-> Fwd(llm,0,1)",
    "Fwd(llm,0,1) -Activation-> Coll(Send,llm:0-1,1)",
    "Coll(Send,llm:0-1,1) -Activation-> Fwd(llm,1,1)",
    "Fwd(llm,1,1) -Activation-> Loss(1)",
    "Loss(1) -Turnaround-> Bwd(llm,1,1)",
    "Bwd(llm,1,1) -Gradient-> Coll(RecvGrad,llm:1-0,1)",
    "Coll(RecvGrad,llm:1-0,1) -Gradient-> Bwd(llm,0,1)",
    "Bwd(llm,0,1) -Accumulate-> DpReduce(llm:0,DataGroup)",
    "Bwd(llm,1,1) -Accumulate-> DpReduce(llm:1,DataGroup)",
    "Fwd(enc,1,2) -Activation-> Coll(Gather,enc-llm,2)",
    "Coll(Gather,enc-llm,2) -Activation-> Fwd(llm,0,2)",
    "Fwd(llm,0,2) -Activation-> Coll(Send,llm:0-1,2)",
    "Coll(Send,llm:0-1,2) -Activation-> Fwd(llm,1,2)",
    "Fwd(llm,1,2) -Activation-> Loss(2)",
    "Loss(2) -Turnaround-> Bwd(llm,1,2)",
    "Bwd(llm,1,2) -Gradient-> Coll(RecvGrad,llm:1-0,2)",
    "Coll(RecvGrad,llm:1-0,2) -Gradient-> Bwd(llm,0,2)",
    "Bwd(llm,0,2) -Accumulate-> DpReduce(llm:0,DataGroup)",
    "Bwd(llm,1,2) -Accumulate-> DpReduce(llm:1,DataGroup)",
    // Rank 0 encodes, then runs 1F1B with one warm-up forward.
    "Fwd(enc,0,1) -Sequence-> Fwd(llm,0,1)",
    "Fwd(llm,0,1) -Sequence-> Fwd(llm,0,2)",
    "Fwd(llm,0,2) -Sequence-> Bwd(llm,0,1)",
    "Bwd(llm,0,1) -Sequence-> Bwd(llm,0,2)",
    // Rank 1 encodes, then alternates strictly.
    "Fwd(enc,1,2) -Sequence-> Fwd(llm,1,1)",
    "Fwd(llm,1,1) -Sequence-> Bwd(llm,1,1)",
    "Bwd(llm,1,1) -Sequence-> Fwd(llm,1,2)",
    "Fwd(llm,1,2) -Sequence-> Bwd(llm,1,2)",
    // Each stage has one reduce.
    "DpReduce(llm:0,DataGroup) -Sequence-> StepBarrier",
    "DpReduce(llm:1,DataGroup) -Sequence-> StepBarrier",
};

// Edges that training the encoder adds: everything the paper marks with (.)?.
const Lines kTrainedEdges{
    "Bwd(llm,0,1) -Gradient-> Coll(Scatter,enc-llm,1)",
    "Coll(Scatter,enc-llm,1) -Gradient-> Bwd(enc,0,1)",
    "Fwd(enc,0,1) -Activation-> Bwd(enc,0,1)",
    "Bwd(enc,0,1) -Accumulate-> DpReduce(enc,ReplicaGroup)",
    "Bwd(llm,0,2) -Gradient-> Coll(Scatter,enc-llm,2)",
    "Coll(Scatter,enc-llm,2) -Gradient-> Bwd(enc,1,2)",
    "Fwd(enc,1,2) -Activation-> Bwd(enc,1,2)",
    "Bwd(enc,1,2) -Accumulate-> DpReduce(enc,ReplicaGroup)",
    "Bwd(llm,0,2) -Sequence-> Bwd(enc,0,1)",
    "Bwd(llm,1,2) -Sequence-> Bwd(enc,1,2)",
    "DpReduce(enc,ReplicaGroup) -Sequence-> StepBarrier",
};

Lines both(Lines lines, const Lines& more) {
  lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}

TEST(Mpipe, FrozenEncoderEdges) {
  EXPECT_EQ(sorted(edge_lines(mpipe(false))), sorted(kFrozenEdges));
}

TEST(Mpipe, TrainableEncoderEdges) {
  EXPECT_EQ(sorted(edge_lines(mpipe(true))), sorted(both(kFrozenEdges, kTrainedEdges)));
}

TEST(Mpipe, TrainableEncoderEvents) {
  EXPECT_EQ(sorted(event_lines(mpipe(true))), sorted({"Fwd(enc,0,1)",
                                                      "Fwd(enc,1,2)",
                                                      "Fwd(llm,0,1)",
                                                      "Fwd(llm,0,2)",
                                                      "Fwd(llm,1,1)",
                                                      "Fwd(llm,1,2)",
                                                      "Bwd(enc,0,1)",
                                                      "Bwd(enc,1,2)",
                                                      "Bwd(llm,0,1)",
                                                      "Bwd(llm,0,2)",
                                                      "Bwd(llm,1,1)",
                                                      "Bwd(llm,1,2)",
                                                      "Coll(Gather,enc-llm,1)",
                                                      "Coll(Gather,enc-llm,2)",
                                                      "Coll(Send,llm:0-1,1)",
                                                      "Coll(Send,llm:0-1,2)",
                                                      "Coll(RecvGrad,llm:1-0,1)",
                                                      "Coll(RecvGrad,llm:1-0,2)",
                                                      "Coll(Scatter,enc-llm,1)",
                                                      "Coll(Scatter,enc-llm,2)",
                                                      "Loss(1)",
                                                      "Loss(2)",
                                                      "DpReduce(enc,ReplicaGroup)",
                                                      "DpReduce(llm:0,DataGroup)",
                                                      "DpReduce(llm:1,DataGroup)",
                                                      "StepBarrier"}));
}

// "Freezing the encoder leaves the placement and the forward order unchanged, but deletes every (.)?."
TEST(Mpipe, FreezingDeletesExactlyTheOptionalEvents) {
  Lines remaining;
  for (const std::string& event : event_lines(mpipe(true))) {
    const bool optional = event.find("Scatter") != event.npos || event.find("Bwd(enc") != event.npos ||
                          event.find("DpReduce(enc") != event.npos;
    if (!optional) remaining.push_back(event);
  }
  EXPECT_EQ(sorted(event_lines(mpipe(false))), sorted(remaining));
}

TEST(Mpipe, RanksEncodeThenRunTheBodyThenEncodeBackward) {
  const Derived derived = mpipe(true);
  EXPECT_EQ(computing_lines(derived, 0), (Lines{"Fwd(enc,0,1)", "Fwd(llm,0,1)", "Fwd(llm,0,2)",
                                                "Bwd(llm,0,1)", "Bwd(llm,0,2)", "Bwd(enc,0,1)"}));
  EXPECT_EQ(computing_lines(derived, 1), (Lines{"Fwd(enc,1,2)", "Fwd(llm,1,1)", "Bwd(llm,1,1)",
                                                "Fwd(llm,1,2)", "Bwd(llm,1,2)", "Bwd(enc,1,2)"}));
}

TEST(Mpipe, PlacementAndCollectives) {
  const Derived derived = mpipe(true);
  ASSERT_EQ(derived.placement.size(), 2U);
  EXPECT_EQ(derived.placement[0].layout, Layout::Replicated);
  EXPECT_EQ(std::get<ByMicrobatch>(derived.placement[0].owner).owner, (OwnerMap{RankId(0), RankId(1)}));
  EXPECT_EQ(derived.placement[1].layout, Layout::Sharded);
  EXPECT_EQ(std::get<ByLayer>(derived.placement[1].owner).stages, (std::vector{StageId(2), StageId(3)}));
  EXPECT_EQ(derived.stage(StageId(1)).layers, (LayerRange{0, 1}));  // rank 1 has the whole encoder, too
  EXPECT_EQ(derived.stage(StageId(3)).layers, (LayerRange{2, 3}));
  ASSERT_EQ(derived.collectives.seams.size(), 1U);
  EXPECT_EQ(derived.collectives.seams[0].forward, Comm::Gather);
  EXPECT_EQ(derived.collectives.seams[0].backward, Comm::Scatter);
  EXPECT_EQ(mpipe(false).collectives.seams[0].backward, std::nullopt);
  EXPECT_EQ(derived.collectives.reduces.size(), 2U);
  EXPECT_EQ(mpipe(false).collectives.reduces.size(), 1U);
}

// A blocking transfer runs between its sender's event and the next one. Nothing else changes.
TEST(Mpipe, BlockingTransfersOccupyTheirSender) {
  const Model model({{"enc", Role::Encoder, 1, false}, {"llm", Role::Backbone, 2, true}});
  const Derived blocking = derive(model, schedule("transpose,1f1b"), {{1}},
                                  {.pipeline = {2, 2}, .point_to_point = PointToPoint::Blocking});
  const std::vector<std::pair<std::string, std::string>> moved{
      {"Fwd(enc,1,2) -Sequence-> Fwd(llm,1,1)", "Coll(Gather,enc-llm,2) -Sequence-> Fwd(llm,1,1)"},
      {"Fwd(llm,0,1) -Sequence-> Fwd(llm,0,2)", "Coll(Send,llm:0-1,1) -Sequence-> Fwd(llm,0,2)"},
      {"Fwd(llm,0,2) -Sequence-> Bwd(llm,0,1)", "Coll(Send,llm:0-1,2) -Sequence-> Bwd(llm,0,1)"},
      {"Bwd(llm,1,1) -Sequence-> Fwd(llm,1,2)", "Coll(RecvGrad,llm:1-0,1) -Sequence-> Fwd(llm,1,2)"}};
  Lines expected = kFrozenEdges;
  for (const auto& [overlapped, instead] : moved) {
    const auto at = std::find(expected.begin(), expected.end(), overlapped);
    ASSERT_NE(at, expected.end()) << overlapped;
    *at = instead;
  }
  EXPECT_EQ(sorted(edge_lines(blocking)), sorted(expected));
}

TEST(Vpp3, InteriorSeamsSendAndStagesInterleave) {
  const Derived derived = uniform("1f1b,1f1b,1f1b", 2, 2);
  ASSERT_EQ(derived.collectives.seams.size(), 2U);
  for (const Seam& seam : derived.collectives.seams) {
    EXPECT_EQ(seam.forward, Comm::Send);
    EXPECT_EQ(seam.backward, Comm::RecvGrad);
  }
  ASSERT_EQ(derived.collectives.reduces.size(), 3U);
  for (const Reduce& reduce : derived.collectives.reduces) EXPECT_EQ(reduce.group, Group::DataGroup);
  for (std::uint32_t region = 0; region < 3; ++region) {
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      const Stage& stage = derived.stage(StageId(rank + region * 2));  // stage_index = rank + (region - 1) P
      EXPECT_EQ(stage.region, RegionId(region));
      EXPECT_EQ(stage.rank, RankId(rank));
      EXPECT_EQ(stage.layers, (LayerRange{2 * region + rank, 2 * region + rank + 1}));
    }
  }
  // Rank r warms up with 2(P-r-1) + (v-1)P forwards: all six on rank 0, four of them on rank 1.
  EXPECT_EQ(computing_lines(derived, 0),
            (Lines{"Fwd(llm.1,0,1)", "Fwd(llm.1,0,2)", "Fwd(llm.2,0,1)", "Fwd(llm.2,0,2)", "Fwd(llm.3,0,1)",
                   "Fwd(llm.3,0,2)", "Bwd(llm.3,0,1)", "Bwd(llm.3,0,2)", "Bwd(llm.2,0,1)", "Bwd(llm.2,0,2)",
                   "Bwd(llm.1,0,1)", "Bwd(llm.1,0,2)"}));
  EXPECT_EQ(computing_lines(derived, 1),
            (Lines{"Fwd(llm.1,1,1)", "Fwd(llm.1,1,2)", "Fwd(llm.2,1,1)", "Fwd(llm.2,1,2)", "Fwd(llm.3,1,1)",
                   "Bwd(llm.3,1,1)", "Fwd(llm.3,1,2)", "Bwd(llm.3,1,2)", "Bwd(llm.2,1,1)", "Bwd(llm.2,1,2)",
                   "Bwd(llm.1,1,1)", "Bwd(llm.1,1,2)"}));
}

// Follows a microbatch through VPP-3 and back.
TEST(Vpp3, AMicrobatchCirclesTheRanks) {
  const Lines lines = edge_lines(uniform("1f1b,1f1b,1f1b", 2, 2));
  for (const char* edge :
       {"Fwd(llm.1,0,1) -Activation-> Coll(Send,llm.1:0-1,1)",
        "Fwd(llm.1,1,1) -Activation-> Coll(Send,llm.1-llm.2,1)",
        "Coll(Send,llm.1-llm.2,1) -Activation-> Fwd(llm.2,0,1)",
        "Coll(Send,llm.2-llm.3,1) -Activation-> Fwd(llm.3,0,1)", "Fwd(llm.3,1,1) -Activation-> Loss(1)",
        "Loss(1) -Turnaround-> Bwd(llm.3,1,1)", "Bwd(llm.3,0,1) -Gradient-> Coll(RecvGrad,llm.2-llm.3,1)",
        "Coll(RecvGrad,llm.1-llm.2,1) -Gradient-> Bwd(llm.1,1,1)"}) {
    EXPECT_EQ(std::count(lines.begin(), lines.end(), edge), 1) << edge;
  }
  for (const std::string& line : lines) {
    EXPECT_FALSE(line.starts_with("Bwd(llm.1,0,1) -Gradient->"))
        << "the first region sends no input gradient";
  }
}

// In <transpose,1f1b,transpose> the last region waits for the wavefront and runs each microbatch's loss
// itself.
TEST(TransposedSink, RunsBetweenTheBodysSlots) {
  const Model model({{"enc", Role::Encoder, 1, false},
                     {"llm", Role::Backbone, 2, true},
                     {"gen", Role::Generator, 1, true}});
  const Derived derived = derive(model, schedule("transpose,1f1b,transpose"), {{1, 3}}, {.pipeline = {2, 2}});
  const Lines lines = edge_lines(derived);
  for (const char* edge :
       {"Fwd(llm,1,1) -Activation-> Coll(Scatter,llm-gen,1)",
        "Coll(Scatter,llm-gen,1) -Activation-> Fwd(gen,0,1)", "Fwd(gen,0,1) -Activation-> Loss(1)",
        "Loss(1) -Turnaround-> Bwd(gen,0,1)", "Bwd(gen,0,1) -Gradient-> Coll(Gather,llm-gen,1)",
        "Coll(Gather,llm-gen,1) -Gradient-> Bwd(llm,1,1)", "Fwd(gen,0,1) -Activation-> Bwd(gen,0,1)",
        "Bwd(gen,0,1) -Accumulate-> DpReduce(gen,ReplicaGroup)"}) {
    EXPECT_EQ(std::count(lines.begin(), lines.end(), edge), 1) << edge;
  }
  EXPECT_EQ(computing_lines(derived, 1),
            (Lines{"Fwd(enc,1,2)", "Fwd(llm,1,1)", "Fwd(llm,1,2)", "Fwd(gen,1,2)", "Bwd(gen,1,2)",
                   "Bwd(llm,1,1)", "Bwd(llm,1,2)"}));
}

TEST(Reductions, AreReportedAndDerivedAsOneRegion) {
  const Model model({{"enc", Role::Encoder, 3, true}, {"llm", Role::Backbone, 2, true}});
  const Derived derived = derive(model, schedule("transpose,transpose,1f1b"), {{1, 3}}, {.pipeline = {2, 2}});
  EXPECT_EQ(to_string(derived.schedule), "transpose,1f1b");
  EXPECT_EQ(derived.cut, (Cut{{3}}));
  ASSERT_EQ(derived.reductions.size(), 1U);
  EXPECT_EQ(derived.reductions[0].region, 1U);
  EXPECT_EQ(derived.reductions[0].boundary, 1U);
  EXPECT_EQ(derived.regions[0].name, "enc");
}

// With k = 1 all layers are replicated: this is pure data parallelism over the microbatches.
TEST(TransposeAlone, EachRankRunsItsMicrobatches) {
  const Model model({{"llm", Role::Backbone, 1, true}});
  const Derived derived = derive(model, schedule("transpose"), {}, {.pipeline = {2, 3}});
  EXPECT_TRUE(derived.collectives.seams.empty());
  EXPECT_EQ(computing_lines(derived, 0),
            (Lines{"Fwd(llm,0,1)", "Fwd(llm,0,3)", "Bwd(llm,0,1)", "Bwd(llm,0,3)"}));
  EXPECT_EQ(computing_lines(derived, 1), (Lines{"Fwd(llm,1,2)", "Bwd(llm,1,2)"}));
}

}  // namespace
}  // namespace spillway::testing
