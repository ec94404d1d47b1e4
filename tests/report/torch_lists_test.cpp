// The lists of `derive --format csv` are what torch.distributed.pipelining reads: of which regions they have
// stages, when they have transfers, and that PyTorch can run them to the end.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "evaluations.h"
#include "report/order/derivation.h"
#include "report/order/list_notes.h"
#include "report/order/torch_stages.h"
#include "schedule/placed_orders.h"
#include "support/property.h"
#include "support/random_derivation.h"
#include "torch_rules.h"

namespace spillway::testing {
namespace {

// Two ranks; an encoder of one layer before a backbone of two.
Derived with_owner(const OwnerMap& owner, bool encoder_trained, bool backbone_trained = true,
                   const std::string& backbone = "1f1b") {
  const Model model(
      {{"enc", Role::Encoder, 1, encoder_trained}, {"llm", Role::Backbone, 2, backbone_trained}});
  DeriveOptions options{.pipeline = {2, static_cast<std::uint32_t>(owner.size())}};
  options.owners = {owner};
  return derive(model, schedule("transpose," + backbone), Cut{{1}}, options);
}

Derived on_last_rank(bool encoder_trained, bool backbone_trained = true,
                     const std::string& backbone = "1f1b") {
  return with_owner({RankId(1), RankId(1)}, encoder_trained, backbone_trained, backbone);
}

bool notes_say(const Derived& derived, const std::string& text) {
  const auto notes = list_notes(derived, false);
  return std::any_of(notes.begin(), notes.end(),
                     [&](const auto& note) { return note.find(text) != note.npos; });
}

TEST(TorchLists, HoldAnEncoderThatOneRankComputesAsItsStage) {
  const Derived derived = on_last_rank(true);
  EXPECT_EQ(derivation_csv(derived),
            "1F0,1F1,1B0,1B1\n"
            "0F0,0F1,2F0,2B0,2F1,2B1,0B0,0B1\n");
  EXPECT_TRUE(notes_say(derived, "transposed region enc is stage 0 of the lists, because rank 1 alone"));
}

// The encoder's stage runs no backward, and no gradient is sent to it.
TEST(TorchLists, HaveTheTransfersWhereAStageIsFrozen) {
  const Derived derived = on_last_rank(false);
  EXPECT_EQ(derivation_csv(derived),
            "1RECV_F0,1RECV_F1,1F0,1SEND_F0,1F1,1SEND_F1,1RECV_B0,1B0,1RECV_B1,1B1\n"
            "0F0,0SEND_F0,0F1,0SEND_F1,2RECV_F0,2RECV_F1,2F0,2B0,2SEND_B0,2F1,2B1,2SEND_B1\n");
  EXPECT_TRUE(notes_say(derived, "PyTorch loads them as \"compute_comms\""));
}

TEST(TorchLists, LeaveOutAnEncoderOfSeveralRanksAndSayWhy) {
  const Derived derived = with_owner({RankId(0), RankId(1)}, true);
  EXPECT_EQ(action_lists_of(derived), action_lists_of(uniform("1f1b", 2, 2)));
  EXPECT_TRUE(notes_say(derived, "leave out the work of transposed region enc: several ranks own"));
}

// One owner is not enough: PyTorch runs one step, one action at a time, on the stage's own microbatches.
TEST(TorchLists, LeaveOutAnEncoderThatIsNoPassOfItsMicrobatch) {
  Derived derived = on_last_rank(true);
  const auto reason = [&] { return torch_stages(derived).left_out.front(); };
  EXPECT_EQ(reason(), std::nullopt);
  derived.hidden.push_back({});
  EXPECT_EQ(reason(), NoStage::InsidePasses);
  derived.input.prefetched = true;
  EXPECT_EQ(reason(), NoStage::NextStep);
  derived.regrouping.rule = Regrouping::Rule::Spread;
  EXPECT_EQ(reason(), NoStage::OtherSamples);
  EXPECT_TRUE(notes_say(derived, "computes samples of other microbatches"));
}

// PyTorch finds a stage's outputs and losses by the place of their forwards.
TEST(TorchLists, LeaveOutAnEncoderThatTakesMicrobatchesOutOfOrder) {
  const Model model({{"enc", Role::Encoder, 1, false}, {"llm", Role::Backbone, 2, true}});
  DeriveOptions options{.pipeline = {2, 2}};
  options.owners = {{RankId(1), RankId(1)}};
  options.placed = {{}, {{0, MicrobatchId(1), false}, {0, MicrobatchId(0), false}}};
  const Derived derived = derive(model, schedule("transpose,1f1b"), Cut{{1}}, options);
  EXPECT_EQ(torch_stages(derived).left_out.front(), NoStage::OutOfOrder);
  EXPECT_TRUE(notes_say(derived, "enc: it takes microbatches out of order"));
}

TEST(TorchLists, SayThatAStageTakesMicrobatchesOutOfOrder) {
  const auto lists = std::get<ActionLists>(parse_action_lists("0F1,0F0,0B1,0B0\n"));
  const Model model({{"llm", Role::Backbone, 1, true}});
  const Schedule listed{{listed_skeleton(placed_orders(lists))}};
  const Derived derived = derive(model, listed, Cut{}, {.pipeline = {1, 2}});
  EXPECT_EQ(derivation_csv(derived), "0F1,0F0,0B1,0B0\n");
  EXPECT_TRUE(notes_say(derived, "a stage takes microbatches out of order"));
}

// PyTorch counts as many W as I. A stage without weights to train has no W, so its I is the whole backward.
TEST(TorchLists, CallTheBackwardOfFrozenWeightsWhole) {
  EXPECT_EQ(derivation_csv(on_last_rank(true, false, "zb-h1")),
            "1F0,1F1,1B0,1B1\n"
            "0F0,0F1,2F0,2B0,2F1,2B1,0B0,0B1\n");
}

TEST(TorchLists, HoldARegionThatIsComputedBehindTheLastStage) {
  const Model model({{"llm", Role::Backbone, 2, true}, {"gen", Role::Generator, 1, true}});
  DeriveOptions options{.pipeline = {2, 2}};
  options.inner = InnerOrder::InPlace;
  EXPECT_EQ(derivation_csv(derive(model, schedule("1f1b,transpose"), Cut{{2}}, options)),
            "0F0,0F1,0B0,0B1\n"
            "1F0,2F0,2B0,1B0,1F1,2F1,2B1,1B1\n");
}

TEST(TorchLists, SayWhatPyTorchDoesNotTake) {
  EXPECT_TRUE(notes_say(uniform("dualpipe", 2, 4), "the second copy of stage s has number ranks + s"));
  EXPECT_TRUE(notes_say(uniform("dualpipev", 2, 4), "PyTorch 2.6 does not read OVERLAP_F_B"));
  EXPECT_TRUE(list_notes(uniform("zb-v", 2, 4), false).empty());
  EXPECT_EQ(list_notes(uniform("zb-v", 2, 4), true).size(), 1U);
}

// In half of the cases one rank owns all microbatches of a region.
Derived any_derived() {
  RandomDerivation random = *random_derivation({.ranks = 4, .microbatches = 8, .every_skeleton = true});
  for (OwnerMap& owner : random.options.owners)
    if (*rc::gen::arbitrary<bool>()) owner.assign(owner.size(), owner.front());
  RC_TAG(to_string(random.schedule));
  return random.derived();
}

RC_GTEST_PROP(TorchLists, RunToTheirEndInPyTorchUnlessANoteSaysNot, ()) {
  const Derived derived = any_derived();
  const bool with_transfers = torch_stages(derived).need_transfers();
  const std::string broken =
      broken_torch_rule(action_lists_of(derived), derived.pipeline.microbatches, with_transfers);
  if (broken == "a rank without a stage")
    RC_ASSERT(notes_say(derived, "a rank has no stage") || torch_stages(derived).stages.empty());
  else if (notes_say(derived, "out of order") || notes_say(derived, "second copy"))
    RC_ASSERT(!broken.empty());
  else
    RC_ASSERT(broken == "");
}

// Every pass of a region that is not left out is in the lists, once, on its rank and in its order.
RC_GTEST_PROP(TorchLists, HaveThePassesOfEachRankInItsOrder, ()) {
  const Derived derived = any_derived();
  const TorchStages stages = torch_stages(derived);
  const ActionLists lists = action_lists_of(derived);
  for (std::uint32_t rank = 0; rank < lists.rows.size(); ++rank) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> passes, listed;  // stage, microbatch
    for (EventId id : derived.order.nodes(RankId(rank))) {
      const Event& event = derived.order.event(id);
      if (event.computes() && stages.numbers[event.stage.index()])
        passes.emplace_back(*stages.numbers[event.stage.index()], event.microbatch.index());
    }
    for (const auto& cell : lists.rows[rank])
      if (cell->computes()) listed.emplace_back(cell->stage, cell->microbatch);
    RC_ASSERT(listed == passes);
  }
}

}  // namespace
}  // namespace spillway::testing
