// The host's time for collectives inside passes, against closed forms: kernels take next to nothing on the
// device, launches nothing, and a collective of the host a second.
#include "cost/slabs/issued_collectives.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "cost/layers/execution.h"
#include "small_job.h"
#include "small_slab.h"

namespace spillway {
namespace {

Layer dense_and_mixture() {
  return attention(AttentionHeads{4, 4, 16, 16}, true) + linear("out", 64, 64, Share::Rows) +
         inside(Module::Mlp, swiglu(64, 128)) + routed_experts(64, 16, 4, 2);
}

struct Seen {
  double forward, backward;
  friend bool operator==(const Seen&, const Seen&) = default;
};

// Whole seconds of the host.
Seen issued(const Parallelism& parallelism, Recompute recompute = Recompute::None, GraphCover cover = {},
            Gradients gradients = kBothGradients) {
  std::vector<Layer> layers(3, dense_and_mixture());
  run_by({.name = "x",
          .launch = chosen(Seconds()),
          .graphs = Sourced<GraphCover>{cover, Evidence::Measured, "a test"}},
         layers);
  HostIssue host{.in_order = true};
  host.collective = Seconds(1);
  host.collectives = IssuedCollectives(parallelism);
  const SlabTimes times =
      slab_times(slab_operators(layers, recompute), Split(), kSixtyFour, small_times(), gradients, host);
  return {std::round(times.forward.value()), std::round(times.backward().value())};
}

TEST(IssuedCollectives, AreThoseOfEachGroup) {
  EXPECT_EQ(issued({}), (Seen{0, 0}));
  Parallelism tensor = sizes(4, 1);
  EXPECT_EQ(issued(tensor), (Seen{3 * 2 * 2, 3 * 2 * 3}));
  tensor.sequence_parallel = false;
  EXPECT_EQ(issued(tensor), (Seen{3 * 2, 3 * 2}));
  EXPECT_EQ(issued(sizes(1, 4)), (Seen{3 * 2, 3 * 2}));
  Parallelism ring;
  ring.context = 4;
  EXPECT_EQ(issued(ring), (Seen{3 * 3, 3 * 6}));
  ring.context_by = ContextBy::Ulysses;
  EXPECT_EQ(issued(ring), (Seen{3 * 2, 3 * 2}));
}

TEST(IssuedCollectives, AreIssuedAgainInARecomputation) {
  EXPECT_EQ(issued(sizes(4, 1), Recompute::Full), (Seen{12, 18 + 12}));
  EXPECT_EQ(issued(sizes(1, 4), Recompute::Full), (Seen{6, 6 + 6}));
}

// Frozen products gather no inputs, and a pass without input gradients sends none.
TEST(IssuedCollectives, FollowTheWantedGradients) {
  EXPECT_EQ(issued(sizes(4, 4), Recompute::None, {}, {.weight = true, .input = false}), (Seen{18, 0}));
  Operator frozen = linear("out", 64, 64, Share::Rows).operators.front();
  EXPECT_EQ(IssuedCollectives(sizes(4, 1)).gradients(frozen), 3);
  frozen.frozen = true;
  EXPECT_EQ(IssuedCollectives(sizes(4, 1)).gradients(frozen), 2);
}

TEST(IssuedCollectives, AreNotIssuedWhereAGraphHoldsThem) {
  EXPECT_EQ(issued(sizes(4, 4), Recompute::None, GraphCover::step()), (Seen{0, 0}));
  EXPECT_EQ(issued(sizes(4, 4), Recompute::None, GraphCover::layer()), (Seen{0, 0}));
}

double last_stages_forward(const SmallJob& job) {
  return forward_of(job.priced(job.derive_as("1f1b", {})), 1);
}

// Of a framework, on the platform's host. Four layers on two stages: two sublayers a layer.
TEST(IssuedCollectives, AreStatedByAFramework) {
  SmallJob job;
  job.costs.parallelism = sizes(2, 1);
  job.costs.framework.launch = chosen(Seconds());
  const double free = last_stages_forward(job);
  job.costs.framework.collective = chosen(Seconds(1000));
  const double issuing = last_stages_forward(job);
  EXPECT_GT(issuing, free);
  job.costs.platform.accelerator.host_speed = chosen(0.5);
  job.costs.framework.collective = chosen(Seconds(500));
  EXPECT_NEAR(last_stages_forward(job) / issuing, 1, 1e-12);
}

// A tower's devices that share images send nothing inside its passes; a split tower's do.
TEST(IssuedCollectives, OfATowerAreThoseOfItsSplit) {
  SmallJob job;
  job.costs.parallelism = sizes(2, 1);
  job.costs.framework.launch = chosen(Seconds());
  const auto tower = [&](EncoderImages images, double seconds) {
    job.costs.parallelism.images = images;
    job.costs.framework.collective = seconds > 0 ? chosen(Seconds(seconds)) : not_stated(Seconds());
    return forward_of(job.priced(job.derive_as("1f1b", {}, {2, 4})), 0);
  };
  EXPECT_EQ(tower(EncoderImages::Repeated, 1000), tower(EncoderImages::Repeated, 0));
  EXPECT_GT(tower(EncoderImages::Split, 1000), tower(EncoderImages::Split, 0) + 3000);
}

}  // namespace
}  // namespace spillway
