// Work that a block with given durations draws from images.
#include <gtest/gtest.h>

#include "input/experiment/experiment.h"
#include "written.h"

namespace spillway {
namespace {

std::string experiment(const std::string& more) {
  return R"({"schema": "spillway/experiment/1", "name": "x", "pipeline": {"ranks": 2, "microbatches": 2},)"
         R"("model": {"blocks": [{"name": "enc", "layers": 2,)"
         R"("profile": {"forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1}, )" +
         more + R"(}]}, "schedules": [{"name": "s", "schedule": "1f1b"}]})";
}

std::string images(const std::string& more = "") {
  const std::string trace = written("sizes.csv", "width,height,count\n280,280,3\n560,280,1\n");
  return R"("image_work": {"profile_patches": 800, "trace": ")" + trace + '"' + more + "}";
}

ImageWork read(const std::string& more = "") {
  const Experiment e = parse_experiment(experiment(images(more)), "x.json", {});
  return std::get<GivenCosts>(e.costs).blocks[0].image_work.value();
}

TEST(ImageWorkReader, OneImageOfASampleAndOneSampleUnlessItIsSaid) {
  const ImageWork work = read();
  EXPECT_EQ(work.profile_patches, 800u);
  EXPECT_EQ(work.workload->patches.patches, (std::vector<std::uint32_t>{400, 800}));
  EXPECT_EQ(work.workload->images_per_sample, (Histogram{{1}, {1.0}}));
  EXPECT_EQ(work.workload->text_tokens, (Histogram{{0}, {1.0}}));
  EXPECT_EQ(work.workload->packing, Packing::Unpacked);
  EXPECT_EQ(work.workload->samples_per_microbatch, 1u);
}

TEST(ImageWorkReader, TakesWhatAWorkloadTakes) {
  const ImageWork work =
      read(R"(, "images_per_sample": 3, "text_tokens": 7, "packing": "packed", "sequence_tokens": 900,)"
           R"("text_only_share": 0.5, "max_patches": 5000, "rule": {"max_pixels": 78400})");
  EXPECT_EQ(work.workload->patches.patches, (std::vector<std::uint32_t>{392, 400}));  // 560 x 280 shrunk
  EXPECT_EQ(work.workload->images_per_sample, (Histogram{{3}, {1.0}}));
  EXPECT_EQ(work.workload->text_tokens, (Histogram{{7}, {1.0}}));
  EXPECT_EQ(work.workload->packing, Packing::Packed);
  EXPECT_EQ(work.workload->sequence_tokens, 900u);
  EXPECT_EQ(work.workload->text_only_share, 0.5);
  EXPECT_EQ(work.workload->max_patches, 5000u);
}

TEST(ImageWorkReader, NeedsPatchesAndATrace) {
  EXPECT_EQ(experiment_complaints(experiment(R"("image_work": {})")),
            (Lines{"x.json: /model/blocks/0/image_work/profile_patches: expected a value, found nothing",
                   "x.json: /model/blocks/0/image_work/trace: expected a value, found nothing"}));
  EXPECT_EQ(
      experiment_complaints(experiment(R"("image_work": {"profile_patches": 0, "text_only_share": 1})")),
      Lines{"x.json: /model/blocks/0/image_work/profile_patches: expected a whole number from 1 to "
            "67108864, found 0"});
}

TEST(ImageWorkReader, ExcludesOtherWork) {
  const std::string at = "x.json: /model/blocks/0/";
  EXPECT_EQ(experiment_complaints(
                experiment(images() + R"(, "work_per_microbatch": [1, 1], "measured_work": [[[[1, 1]]]])")),
            (Lines{at + "work_per_microbatch: expected no such key beside image_work, found a list of 2",
                   at + "measured_work: expected no such key beside image_work, found a list of 1"}));
}

TEST(ImageWorkReader, RefusesKeysOfTheOtherPacking) {
  EXPECT_EQ(experiment_complaints(experiment(images(R"(, "sequence_tokens": 900)"))),
            Lines{"x.json: /model/blocks/0/image_work/sequence_tokens: expected no such key, since unpacked "
                  "sequences are as long as their samples, found 900"});
}

}  // namespace
}  // namespace spillway
