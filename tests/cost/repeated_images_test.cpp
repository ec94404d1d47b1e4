// Encoders whose images are encoded by every device of a rank: what the devices do is what one alone would.
#include <gtest/gtest.h>

#include <utility>

#include "small_job.h"
#include "support/property.h"

namespace spillway {
namespace {

// A job whose encoder, the first stage, every rank has.
class Encoder {
 public:
  Encoder(SmallJob job, std::uint32_t tensor, EncoderImages images)
      : job_(with(std::move(job), tensor, images)),
        derived_(job_.derive_as("transpose,1f1b", Cut{{2}})),
        costs_(job_.priced(derived_)) {}

  Seconds pass(Pass pass, std::uint32_t microbatch) const {
    return costs_.pass(pass, StageId(0), MicrobatchId(microbatch), ReplicaId(0));
  }
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
    for (MicrobatchLoad& load : replica)
      load.image_patches = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(1U, 9U));
  const Encoder all(job, *rc::gen::element(1U, 2U, 4U), EncoderImages::Repeated);
  const Encoder alone(job, 1, EncoderImages::Shared);
  for (const Pass pass : {Pass::Forward, Pass::Backward})
    for (const std::uint32_t microbatch : {0U, 1U})
      RC_ASSERT(all.pass(pass, microbatch) == alone.pass(pass, microbatch));
}

// Of two images, of 16 and 4 patches, one device has the larger when they are shared.
TEST(RepeatedImages, TakeLongerThanShared) {
  EXPECT_GT(Encoder({}, 2, EncoderImages::Repeated).pass(Pass::Forward, 0),
            Encoder({}, 2, EncoderImages::Shared).pass(Pass::Forward, 0));
}

// With ZeRO-1 the devices that share images out share the optimizer's states, too; those that repeat each
// other's work are no further copies in it.
TEST(RepeatedImages, ShareOptimizerStatesOverReplicasAlone) {
  SmallJob job;
  job.pipeline.replicas = 2;
  job.costs.parallelism.data = DataParallel::Zero1;
  EXPECT_DOUBLE_EQ(Encoder(job, 2, EncoderImages::Repeated).optimizer() /
                       Encoder(job, 2, EncoderImages::Shared).optimizer(),
                   2);
}

}  // namespace
}  // namespace spillway
