// The sequences in which tokens attend, by hand, and the times of packed documents against the sum over them.
#include "cost/operators/token_loads.h"

#include <gtest/gtest.h>

#include "cost/slabs/slab_time.h"
#include "small_job.h"
#include "support/property.h"

namespace spillway {
namespace {

MicrobatchLoad load_of(std::vector<std::uint32_t> documents, std::uint32_t tokens, Packing packing) {
  MicrobatchLoad load{{}, static_cast<std::uint32_t>(documents.size()), 0, tokens, tokens};
  load.documents = std::move(documents);
  load.packing = packing;
  return load;
}

TokenLoad loaded(const MicrobatchLoad& load, DocumentRule rule, const Draw& others = {}) {
  Draw step = others;
  step.push_back({load});
  return TokenLoads(step, rule)(load);
}

using Lengths = std::vector<Sequences>;

TEST(TokenLoads, OfAPackedSequenceAreItsDocumentsAndItsPadding) {
  const MicrobatchLoad load = load_of({3, 5, 0, 3}, 16, Packing::Packed);
  const TokenLoad within = loaded(load, {});
  EXPECT_EQ(within.sequence, 16);
  EXPECT_EQ(within.sequences, (Lengths{{2, 5}, {2, 3}}));
  EXPECT_EQ(within.pairs, 25 + 25 + 9 + 9);
  const TokenLoad across = loaded(load, {.across = true});
  EXPECT_EQ(across.sequences, (Lengths{{1, 16}}));
  EXPECT_EQ(across.pairs, 256);
}

TEST(TokenLoads, OfUnpackedSamplesArePaddedAsFarAsTheFrameworkPads) {
  const MicrobatchLoad load = load_of({2, 7, 2}, 11, Packing::Unpacked);
  const Draw longer = {{load_of({4}, 4, Packing::Unpacked), load_of({9, 1}, 10, Packing::Unpacked)}};
  EXPECT_EQ(loaded(load, {}, longer), (TokenLoad{11, {{1, 7}, {2, 2}}}));
  EXPECT_EQ(loaded(load, {.across = true}, longer), (TokenLoad{11, {{1, 11}}}));
  EXPECT_EQ(loaded(load, {.pads = PadsTo::Microbatch}, longer), (TokenLoad{21, {{3, 7}}}));
  EXPECT_EQ(loaded(load, {.pads = PadsTo::Batch}, longer), (TokenLoad{27, {{3, 9}}}));
  // Rows of a padded batch never attend to each other.
  EXPECT_EQ(loaded(load, {.across = true, .pads = PadsTo::Batch}, longer), (TokenLoad{27, {{3, 9}}}));
}

TEST(TokenLoads, OfNoDocumentsAreSequencesOfOneLength) {
  MicrobatchLoad load{{}, 3, 0, 6144, 6144, 3};
  for (const DocumentRule rule : {DocumentRule{}, DocumentRule{true, PadsTo::Batch}})
    EXPECT_EQ(loaded(load, rule), (TokenLoad{6144, {{3, 2048}}}));
}

TEST(DrawLoads, CountPaddingAsComputed) {
  SmallJob job;
  job.draw = {{load_of({2, 7}, 9, Packing::Unpacked)}, {load_of({4, 4}, 8, Packing::Unpacked)}};
  const auto computed = [&] { return draw_loads(job.costs, job.draw).tally().computed_tokens; };
  EXPECT_EQ(computed(), 17u);
  job.costs.framework.pads_to.value = PadsTo::Microbatch;
  EXPECT_EQ(computed(), 14u + 8u);
  job.costs.framework.pads_to.value = PadsTo::Batch;
  EXPECT_EQ(computed(), 28u);
  EXPECT_EQ(draw_loads(job.costs, job.draw).tally().useful_tokens, 17u);
}

TEST(DrawLoads, TellKindsByDocuments) {
  SmallJob job;
  job.draw = {{load_of({8, 8}, 16, Packing::Packed), load_of({12, 4}, 16, Packing::Packed),
               load_of({4, 12}, 16, Packing::Packed)}};
  const DrawLoads loads = draw_loads(job.costs, job.draw);
  EXPECT_EQ(loads.kinds().size(), 2u);
  EXPECT_TRUE(loads.equal_tokens());
  EXPECT_EQ(loads.kind(ReplicaId(0), MicrobatchId(1)), loads.kind(ReplicaId(0), MicrobatchId(2)));
  const DrawLoads none = draw_loads(job.costs, job.draw).without_attention();
  for (const TokenLoad& kind : none.kinds()) EXPECT_EQ(kind, (TokenLoad{16, {}}));
}

// A stage's pass over a microbatch follows its documents; its memory with fused attention does not.
TEST(PackedDocuments, AreNotUniformInTimeAndHeldAlike) {
  SmallJob job;
  job.costs.blocks.erase(job.costs.blocks.begin());
  job.pipeline = {1, 2, 1};
  job.draw = {{load_of({64, 64}, 128, Packing::Packed), load_of({128}, 128, Packing::Packed)}};
  const Model model({{"llm", Role::Backbone, 4, true}});
  const Derived derived =
      derive(model, std::get<Schedule>(parse_schedule("gpipe")), {}, {.pipeline = job.pipeline});
  const AnalyticCostModel costs = job.priced(derived);
  EXPECT_FALSE(costs.uniform({.kind = EventKind::Forward, .stage = StageId(0)}));
  EXPECT_LT(forward_of(costs, 0, 0), forward_of(costs, 0, 1));
  EXPECT_TRUE(costs.holds_alike(StageId(0)));
  EXPECT_EQ(costs.held(StageId(0), MicrobatchId(0), ReplicaId(0)),
            costs.held(StageId(0), MicrobatchId(1), ReplicaId(0)));
  job.costs.framework.attends_across_documents.value = true;
  EXPECT_TRUE(job.priced(derived).uniform({.kind = EventKind::Forward, .stage = StageId(0)}));
}

// The quick form prices attention once for each length. The slow one takes the sum over the documents of
// every load anew.
RC_GTEST_PROP(SlabPricer, TakesTheSumOverDocuments, ()) {
  SmallJob job;
  const OperatorTimes times(job.costs.platform.accelerator);
  const LayerStack stack = layer_stack(small_deepseek());
  const SlabOperators operators = slab_operators(stack.layers);
  const Split split{.tensor = 2, .context = 2, .sequence = 2, .heads = 2};
  const Gradients gradients{true, true};
  const HostIssue host{.launch = microseconds(*rc::gen::inRange(0, 3)),
                       .in_order = *rc::gen::arbitrary<bool>()};
  SlabPricer pricer(operators, split, times, gradients, host);
  for (int i = 0; i < 6; ++i) {
    Lengths sequences;
    double tokens = 0;
    for (int k = *rc::gen::inRange(1, 5); k > 0; --k) {
      sequences.push_back({double(*rc::gen::inRange(1, 4)), double(64 * *rc::gen::inRange(1, 6))});
      tokens += sequences.back().count * sequences.back().length;
    }
    const SlabLoad load{tokens / 2, sequences};
    const SlabTimes quick = pricer.of(load),
                    slow = slab_times(operators, split, load, times, gradients, host);
    RC_ASSERT(quick.forward == slow.forward);
    RC_ASSERT(quick.input_gradient == slow.input_gradient);
    RC_ASSERT(quick.weight_gradient == slow.weight_gradient);
    RC_ASSERT(quick.attention_forward == slow.attention_forward);
    RC_ASSERT(quick.attention_backward == slow.attention_backward);
  }
}

}  // namespace
}  // namespace spillway
