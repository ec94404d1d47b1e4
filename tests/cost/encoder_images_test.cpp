// Encoders whose images every device of a rank encodes do on each device the work of a single device.
// Encoders split by tensor parallelism do a share of it on each device and all-reduce the sums.
#include <gtest/gtest.h>

#include <utility>

#include "small_job.h"
#include "support/property.h"

namespace spillway {
namespace {

// A job whose first stage, on every rank, is the encoder.
class Encoder {
 public:
  Encoder(SmallJob job, std::uint32_t tensor, EncoderImages images)
      : job_(with(std::move(job), tensor, images)),
        derived_(job_.derive_as("transpose,1f1b", Cut{{2}})),
        costs_(job_.priced(derived_)) {}

  Seconds pass(Pass pass, std::uint32_t microbatch) const {
    return costs_.pass(pass, StageId(0), MicrobatchId(microbatch), ReplicaId(0));
  }
  PassTime time(Pass pass) const { return costs_.time_of(pass, StageId(0), MicrobatchId(0), ReplicaId(0)); }
  Seconds all_reduces(double count, Bytes bytes) const {
    return count *
           collective_time(job_.costs.platform, CollectiveOperation::AllReduce, {DeviceId(0), 2})(bytes).time;
  }
  ModelState state() const { return costs_.model_state(StageId(0)); }
  Bytes optimizer() const { return costs_.model_state(StageId(0)).optimizer; }

 private:
  static SmallJob with(SmallJob job, std::uint32_t tensor, EncoderImages images) {
    job.costs.parallelism.tensor = tensor;
    job.costs.parallelism.images = images;
    return job;
  }

  SmallJob job_;
  Derived derived_;
  AnalyticCostModel costs_;
};

RC_GTEST_PROP(RepeatedImages, TakeAsLongAsOnOneDevice, ()) {
  SmallJob job;
  for (auto& replica : job.draw)
    for (MicrobatchLoad& load : replica) {
      load.media.clear();
      for (const std::uint32_t patches :
           *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(1U, 9U)))
        load.media.push_back(patches);
    }
  const Encoder all(job, *rc::gen::element(1U, 2U, 4U), EncoderImages::Repeated);
  const Encoder alone(job, 1, EncoderImages::Shared);
  for (const Pass pass : {Pass::Forward, Pass::Backward})
    for (const std::uint32_t microbatch : {0U, 1U})
      RC_ASSERT(all.pass(pass, microbatch) == alone.pass(pass, microbatch));
}

// When the two images of 16 and 4 patches are shared, the busier device encodes only the larger.
TEST(RepeatedImages, TakeLongerThanShared) {
  EXPECT_GT(Encoder({}, 2, EncoderImages::Repeated).pass(Pass::Forward, 0),
            Encoder({}, 2, EncoderImages::Shared).pass(Pass::Forward, 0));
}

// Under ZeRO-1, devices that share images out also shard the optimizer states. Devices that repeat the images
// do not count as further copies.
TEST(RepeatedImages, ShareOptimizerStatesOverReplicasAlone) {
  SmallJob job;
  job.pipeline.replicas = 2;
  job.costs.parallelism.data = DataParallel::Zero1;
  EXPECT_DOUBLE_EQ(Encoder(job, 2, EncoderImages::Repeated).optimizer() /
                       Encoder(job, 2, EncoderImages::Shared).optimizer(),
                   2);
}

// Devices share the products of two layers and the merger for 20 patches. Each embeds all patches, of 4
// pixels each.
TEST(SplitEncoder, ComputesAShareOfAllButThePatchEmbedding) {
  const Encoder alone({}, 1, EncoderImages::Split), split({}, 2, EncoderImages::Split);
  for (const auto& [pass, products] : {std::pair{Pass::Forward, 1}, std::pair{Pass::WeightGradient, 1}}) {
    const Seconds embedding(products * 20 * 2.0 * 4 * 8 / 1e6);
    EXPECT_DOUBLE_EQ(split.time(pass).computing.value(),
                     ((alone.time(pass).computing - embedding) / 2.0 + embedding).value());
  }
}

// The encoder has two sublayers a layer and the merger; each sums 20 patches of 8 numbers.
TEST(SplitEncoder, SumsBehindEverySublayer) {
  const Encoder split({}, 2, EncoderImages::Split);
  const Seconds sums = split.all_reduces(5, Bytes(20 * 8 * 2));
  EXPECT_DOUBLE_EQ(split.time(Pass::Forward).exposed.value(), sums.value());
  const PassTime backward = split.time(Pass::Backward);
  EXPECT_DOUBLE_EQ((backward.exposed + backward.hidden).value(), sums.value());
}

TEST(SplitEncoder, ForNothingSumsForNothing) {
  SmallJob job;
  job.costs.blocks.front().what_if_time = 0;
  const Encoder split(job, 2, EncoderImages::Split);
  for (const Pass pass : {Pass::Forward, Pass::Backward}) EXPECT_EQ(split.pass(pass, 0), Seconds());
}

TEST(SplitEncoder, OfOneDeviceIsWhole) {
  SmallJob job;
  const Encoder split(job, 1, EncoderImages::Split), whole(job, 1, EncoderImages::Shared);
  for (const Pass pass : {Pass::Forward, Pass::Backward}) EXPECT_EQ(split.pass(pass, 0), whole.pass(pass, 0));
  EXPECT_EQ(split.optimizer(), whole.optimizer());
}

// A device holds half of every parameter but the norms', the biases behind sums and the embedding's.
TEST(SplitEncoder, LiesSplitOnTheDevices) {
  const Bytes split = Encoder({}, 2, EncoderImages::Split).state().parameters,
              whole = Encoder({}, 2, EncoderImages::Repeated).state().parameters;
  const LayerCost cost = cost_of(layers_of(small_vit()));
  const double unsplit = static_cast<double>(cost.unsplit_parameters);
  EXPECT_GT(unsplit, 0);
  EXPECT_DOUBLE_EQ(whole.value(), 2 * static_cast<double>(cost.dense_parameters));
  EXPECT_DOUBLE_EQ(split.value(), 2 * (unsplit + (static_cast<double>(cost.dense_parameters) - unsplit) / 2));
}

TEST(SplitEncoder, HasHeadsThatDivide) {
  SmallJob job;
  job.costs.parallelism.tensor = 4;
  EXPECT_TRUE(check_analytic(job.costs, job.model(), job.pipeline).empty());
  job.costs.parallelism.images = EncoderImages::Split;
  const std::vector<Violation> found = check_analytic(job.costs, job.model(), job.pipeline);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().pointer, "/parallel/tensor");
  EXPECT_EQ(found.front().expected, "a divisor of 2 attention heads of block \"enc\"");
}

}  // namespace
}  // namespace spillway
