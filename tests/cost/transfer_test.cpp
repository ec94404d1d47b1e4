// Bytes and times of transfers. Pairs: 1 us, 100 GB/s; nodes of 8: 2 us, 50 GB/s; the cluster: 10 us, 10
// GB/s.
#include <gtest/gtest.h>

#include "small_job.h"

namespace spillway {
namespace {

Transfer transfer_of(const SmallJob& job, const Derived& derived, Comm comm, std::uint32_t microbatch,
                     std::uint32_t sender) {
  const AnalyticCostModel model = job.priced(derived);
  for (const Event& event : derived.order.events()) {
    if (event.kind == EventKind::Collective && event.comm == comm &&
        event.microbatch == MicrobatchId(microbatch) && event.rank == RankId(sender)) {
      return model.transfer(event, ReplicaId(0));
    }
  }
  ADD_FAILURE() << "no such transfer";
  return {};
}

void expect_sent(const Transfer& transfer, double bytes, double latency_us, double gigabytes_per_second) {
  EXPECT_DOUBLE_EQ(transfer.payload.value(), bytes);
  EXPECT_DOUBLE_EQ(transfer.alone.value(), latency_us * 1e-6 + bytes / (gigabytes_per_second * 1e9));
}

// Each transfer carries 10 (20) tokens x 16 x 2 bytes; ranks 0 and 1 are a pair.
TEST(Transfer, CarriesTheSequenceBetweenBackboneStages) {
  const SmallJob job;
  const Derived derived = job.derive_as("1f1b", {}, {3, 3});
  expect_sent(transfer_of(job, derived, Comm::Send, 0, 0), 320, 1, 100);
  expect_sent(transfer_of(job, derived, Comm::Send, 1, 0), 640, 1, 100);
  expect_sent(transfer_of(job, derived, Comm::RecvGrad, 0, 1), 320, 1, 100);
}

// Two members share the sequence. Rank 1 begins two devices further in the same node, or with four replicas
// eight devices further, in another node.
TEST(Transfer, IsSharedByTheMembersAndGoesOverTheTierBetween) {
  SmallJob job;
  job.costs.parallelism.tensor = 2;
  Derived derived = job.derive_as("1f1b", {}, {3, 3});
  expect_sent(transfer_of(job, derived, Comm::Send, 0, 0), 160, 2, 50);
  job.pipeline.replicas = 4;
  derived = job.derive_as("1f1b", {}, {3, 3});
  expect_sent(transfer_of(job, derived, Comm::Send, 0, 0), 160, 10, 10);
}

// Rank 1 has devices 6 to 11: two of its pairs with rank 0 lie in one node, the other four in two.
TEST(Transfer, TakesAsLongAsBetweenThePairThatIsFarthestApart) {
  SmallJob job;
  job.costs.parallelism.tensor = 2;
  job.costs.parallelism.context = 3;
  const Derived derived = job.derive_as("1f1b", {}, {3, 3});
  expect_sent(transfer_of(job, derived, Comm::Send, 0, 0), 320.0 / 6, 10, 10);
}

// Without sequence parallelism each of two members sends all 10 tokens. With scatter-gather it sends half,
// and the receivers gather over their pair: one ring step of half.
TEST(Transfer, IsScatteredAndGatheredWhereTheFrameworkDoes) {
  SmallJob job;
  job.costs.parallelism.tensor = 2;
  job.costs.parallelism.sequence_parallel = false;
  const Derived derived = job.derive_as("1f1b", {}, {3, 3});
  expect_sent(transfer_of(job, derived, Comm::Send, 0, 0), 320, 2, 50);
  job.costs.framework.scatter_gather = true;
  const Seconds gather = Seconds(1e-6) + Bytes(160) / BytesPerSecond(100e9);
  for (const auto& [comm, sender] : {std::pair{Comm::Send, 0U}, std::pair{Comm::RecvGrad, 1U}}) {
    const Transfer transfer = transfer_of(job, derived, comm, 0, sender);
    expect_sent({transfer.alone - gather, transfer.payload}, 160, 2, 50);
  }
}

// Scatter-gather changes nothing where members share the sequence, with one member, or inside an encoder,
// whose patches no other member needs.
TEST(Transfer, IsScatteredOnlyWhereEveryMemberNeedsAllOfIt) {
  SmallJob plain;
  plain.costs.parallelism.tensor = 2;
  SmallJob scattered = plain;
  scattered.costs.framework.scatter_gather = true;
  const auto expect_alike = [&](const std::vector<std::uint32_t>& layers) {
    const Derived derived = plain.derive_as("1f1b", {}, layers);
    const Transfer transfer = transfer_of(scattered, derived, Comm::Send, 0, 0);
    EXPECT_EQ(transfer.alone, transfer_of(plain, derived, Comm::Send, 0, 0).alone);
    EXPECT_EQ(transfer.payload, transfer_of(plain, derived, Comm::Send, 0, 0).payload);
  };
  expect_alike({3, 3});
  plain.costs.parallelism.sequence_parallel = scattered.costs.parallelism.sequence_parallel = false;
  expect_alike({1, 5});
  plain.costs.parallelism.tensor = scattered.costs.parallelism.tensor = 1;
  expect_alike({3, 3});
}

// The features of 5 image tokens, 16 x 2 bytes each, are sent wherever the encoder ends.
TEST(Transfer, CarriesImageTokensBehindTheEncoder) {
  SmallJob job;
  const Derived own = job.derive_as("1f1b", {}, {2, 4});
  expect_sent(transfer_of(job, own, Comm::Send, 0, 0), 160, 1, 100);
  expect_sent(transfer_of(job, own, Comm::RecvGrad, 0, 1), 160, 1, 100);

  // Microbatches are encoded round-robin: microbatch 1 on rank 0, microbatch 2, without images, on rank 1.
  std::swap(job.draw[0][0], job.draw[0][1]);
  const Derived transposed = job.derive_as("transpose,1f1b", {{2}});
  expect_sent(transfer_of(job, transposed, Comm::Gather, 1, 1), 160, 1, 100);
  expect_sent(transfer_of(job, transposed, Comm::Scatter, 1, 0), 160, 1, 100);
}

// Inside the encoder each member sends the patches of its own images, 8 x 2 bytes each: 20 on a single
// device, 16 on the busier of two.
TEST(Transfer, CarriesTheBusiestMembersPatchesInsideTheEncoder) {
  SmallJob job;
  Derived derived = job.derive_as("1f1b", {}, {1, 5});
  expect_sent(transfer_of(job, derived, Comm::Send, 0, 0), 20 * 16, 1, 100);
  job.costs.parallelism.tensor = 2;
  derived = job.derive_as("1f1b", {}, {1, 5});
  expect_sent(transfer_of(job, derived, Comm::Send, 0, 0), 16 * 16, 2, 50);
}

TEST(Transfer, IsNothingBetweenARankAndItself) {
  const SmallJob job;
  const Derived derived = job.derive_as("transpose,1f1b", {{2}});
  Event to_itself{EventKind::Collective};
  to_itself.comm = Comm::Gather;
  to_itself.stage = StageId(0);
  to_itself.peer_stage = StageId(2);
  const Transfer transfer = job.priced(derived).transfer(to_itself, ReplicaId(0));
  EXPECT_EQ(transfer.alone, Seconds(0));
  EXPECT_EQ(transfer.payload, Bytes(0));
}

}  // namespace
}  // namespace spillway
