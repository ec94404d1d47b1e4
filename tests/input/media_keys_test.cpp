// Violations of the keys of videos, audio and towers, and of their traces.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "input/experiment/experiment.h"
#include "input/experiment/trace.h"
#include "written.h"

namespace spillway {
namespace {

const std::string kVideo = SPILLWAY_SOURCE_DIR "/workloads/experiments/qwen3-vl-8b-video.json";
const std::string kOmniJob = SPILLWAY_SOURCE_DIR "/workloads/experiments/images-and-audio.json";
const std::string kImagesAlone = SPILLWAY_SOURCE_DIR "/workloads/experiments/qwen2-vl-72b.json";

std::vector<std::string> places_refused(const std::string& path, const std::vector<Setting>& settings) {
  std::vector<std::string> pointers;
  try {
    read_experiment(path, settings);
  } catch (const InputError& error) {
    for (const Violation& violation : error.violations()) pointers.push_back(violation.pointer);
  }
  return pointers;
}

using Places = std::vector<std::string>;

TEST(MediaKeys, AVideosBoundsAreInOrder) {
  EXPECT_EQ(places_refused(kVideo, {{"/workload/rule", R"({"video": {"min_frames": 9, "max_frames": 8,
                                      "min_pixels": 9, "max_pixels": 8}})"}}),
            (Places{"/workload/rule/video/min_frames", "/workload/rule/video/min_pixels"}));
  EXPECT_EQ(places_refused(kVideo, {{"/workload/rule", R"({"video": {"fps": 0}})"}}),
            (Places{"/workload/rule/video/fps"}));
}

// Its bounds are those of all frames together already.
TEST(MediaKeys, Qwen3HasNoTotal) {
  EXPECT_EQ(places_refused(kVideo, {{"/workload/rule", R"({"video": {"total_pixels": 9000000}})"}}),
            (Places{"/workload/rule/video/total_pixels"}));
  EXPECT_EQ(places_refused(kImagesAlone, {{"/workload/rule", R"({"video": {"total_pixels": 9000000}})"}}),
            Places());
}

TEST(MediaKeys, AudioNeedsItsTowerAndATowerItsAudio) {
  const Setting clips{"/workload/audio", R"({"trace": "activitynet_audio.csv", "clips_per_sample": 1})"};
  EXPECT_EQ(places_refused(kImagesAlone, {clips}), (Places{"/workload/audio"}));
  EXPECT_EQ(places_refused(kOmniJob, {{"/workload", R"({"text_tokens": 5, "text_only_share": 1})"}}),
            (Places{"/workload/audio"}));
}

TEST(MediaKeys, ATowerReadsNoOtherTower) {
  EXPECT_EQ(places_refused(kOmniJob, {{"/model/blocks/0/feeds", "audio"}}),
            (Places{"/model/blocks/0/feeds"}));
  EXPECT_EQ(places_refused(kOmniJob, {{"/model/blocks/1/feeds", "vision"}}),
            (Places{"/model/blocks/1/feeds"}));
}

TEST(MediaKeys, AudioStaysWhereItWasDrawn) {
  EXPECT_EQ(places_refused(kOmniJob, {{"/schedules/1", R"({"name": "moves", "system": "orchmllm"})"}}),
            (Places{"/schedules/1"}));
}

Places bad_lines(const std::string& text, const ResizeRule* rule) {
  const std::string path = written("media.csv", text);
  Places lines;
  try {
    if (rule)
      read_image_trace(path, *rule);
    else
      read_audio_trace(path, AudioRule{});
  } catch (const InputError& error) {
    for (const Violation& violation : error.violations()) lines.push_back(violation.pointer);
  }
  return lines;
}

TEST(MediaTraces, EveryBadLineIsNamed) {
  EXPECT_EQ(bad_lines("seconds,count\n1,1\n0,1\n2,0\nx,1\n90000,1\n", nullptr),
            (Places{"line 3", "line 4", "line 5", "line 6"}));
  EXPECT_EQ(bad_lines("length,count\n1,1\n", nullptr), (Places{"line 1"}));
  const ResizeRule qwen;
  EXPECT_EQ(bad_lines("width,height,seconds,frames\n640,480,,\n640,480,-1,\n640,480,5,x\n640,480,5,\n"
                      "640,480,,8\n9000,9,5,\n",
                      &qwen),
            (Places{"line 3", "line 4", "line 7"}));
}

TEST(MediaTraces, OtherTowersRefuseVideos) {
  const ResizeRule tiles{.by = Resizing::Tiles, .side = 448};
  EXPECT_EQ(bad_lines("width,height,seconds\n640,480,0\n640,480,5\n", &tiles), (Places{"line 3"}));
}

// An empty or zero length is an image.
TEST(MediaTraces, MixImagesAndVideos) {
  const std::string path =
      written("media.csv", "width,height,seconds,count\n56,56,,2\n56,56,0,1\n1280,720,10,1\n");
  const PatchDistribution both = read_image_trace(path, ResizeRule{});
  EXPECT_EQ(both.images, 4u);
  EXPECT_EQ(both.videos, 1u);
  EXPECT_EQ(both.patches, (std::vector<std::uint32_t>{16, 28'800}));
}

}  // namespace
}  // namespace spillway
