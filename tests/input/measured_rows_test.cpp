// Tables of measured passes as an experiment reads them: what is read, and every row that is refused.
#include "input/experiment/measured_rows.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "input/experiment/experiment.h"
#include "support/shipped.h"
#include "support/temporary_folder.h"

namespace spillway::testing {
namespace {

// The violations of a shipped experiment with these measured passes.
std::vector<std::string> refused_in(const std::string& experiment, const std::string& measured) {
  try {
    read_experiment(Source(kExperiments + experiment), {{"/measured", measured}});
  } catch (const InputError& error) {
    std::vector<std::string> all;
    for (const Violation& one : error.violations())
      all.push_back(one.pointer + ": expected " + one.expected + ", found " + one.found);
    return all;
  }
  return {};
}

// Those of small-vlm (4 encoder layers, 8 of the language model) with this table.
std::vector<std::string> refused(const std::string& table) {
  const TemporaryFolder folder;
  return refused_in("small-vlm.json", folder.file("measured.csv", table));
}

const std::string kHeader = "stage,direction,tokens,patches,milliseconds\n";

PassTable read(const std::string& passes) {
  const Experiment experiment = read_experiment(Source(kExperiments + "small-vlm.json"),
                                                {{"/measured", "{\"passes\": " + passes + "}"}});
  return *on_platform(experiment.costs)->measured;
}

TEST(MeasuredRows, AreReadFromAFile) {
  EXPECT_EQ(refused(kHeader + "enc,forward,,784,1.5\n\n# a comment\nllm:0-4,backward,2x32 8,,2.5\n"),
            std::vector<std::string>());
}

TEST(MeasuredRows, OfOnePassAreRepeats) {
  const PassTable measured = read(
      R"([{"stage": "enc+llm:0-2", "direction": "forward", "tokens": [8, 8], "patches": [784], "milliseconds": [1, 3]},
          {"stage": "enc+llm:0-2", "direction": "forward", "tokens": [8, 8], "patches": [784], "milliseconds": [2]}])");
  ASSERT_EQ(measured.passes.size(), 1u);
  const MeasuredPass& pass = measured.passes.front();
  EXPECT_EQ(pass.layers, (LayerRange{0, 6}));
  EXPECT_EQ(pass.sizes.at(0).sequences, (std::vector<std::uint32_t>{8, 8}));
  EXPECT_EQ(pass.sizes.at(0).patches, (std::vector<std::uint32_t>{784}));
  EXPECT_EQ(pass.times, (std::vector{milliseconds(1), milliseconds(3), milliseconds(2)}));
}

TEST(MeasuredRows, ForgetWhatNoLayerReads) {
  const PassTable measured = read(
      R"([{"stage": "llm", "direction": "forward", "tokens": [8], "patches": [784], "milliseconds": [1]},
          {"stage": "enc", "direction": "forward", "tokens": [8], "patches": [784], "milliseconds": [1]}])");
  EXPECT_TRUE(measured.passes[0].sizes.at(0).patches.empty());
  EXPECT_TRUE(measured.passes[1].sizes.at(0).sequences.empty());
}

TEST(MeasuredRows, MayBeMeansOverSeveralMicrobatches) {
  const PassTable measured = read(
      R"([{"stage": "enc", "direction": "forward", "patches": [[784], [], [784, 1024]], "milliseconds": [1]},
          {"stage": "llm", "direction": "forward", "tokens": [8, 9], "milliseconds": [1]},
          {"stage": "llm", "direction": "backward", "tokens": [[8], [8]], "milliseconds": [1]}])");
  const auto& sizes = measured.passes.at(0).sizes;
  ASSERT_EQ(sizes.size(), 3u);
  EXPECT_TRUE(sizes[1].patches.empty());
  EXPECT_EQ(sizes[2].patches, (std::vector<std::uint32_t>{784, 1024}));
  EXPECT_EQ(measured.passes.at(1).sizes.size(), 1u);
  EXPECT_EQ(measured.passes.at(2).sizes.size(), 1u) << "equal microbatches are one";
  EXPECT_EQ(refused(kHeader + "enc,forward,8;9,784;1024,1.5\nenc+llm,forward,8; 9,784 ;784 784,3\n"),
            std::vector<std::string>());
  EXPECT_EQ(refused(kHeader + "enc+llm,forward,8;9;8,784;784,3\n"),
            std::vector<std::string>{
                "line 2: expected as many microbatches in tokens as in patches, or one, found \"3 and 2\""});
}

TEST(MeasuredRows, MayHaveBytesAlone) {
  const std::string header = "stage,direction,tokens,patches,milliseconds,bytes\n";
  EXPECT_EQ(refused(header + "llm,forward,8,,,4e6\nllm,backward,8,,2,\n"), std::vector<std::string>());
  EXPECT_EQ(refused(header + "llm,forward,8,,,4e6\n"),
            std::vector<std::string>{"line 2: expected at least one measured pass with its time, beside the "
                                     "optimizer and bytes, found none"});
  EXPECT_EQ(refused(header + "llm,forward,8,,,\n"),
            std::vector<std::string>{"line 2: expected milliseconds above 0 and at most 1e9, found \"\""});
  const PassTable measured = read(
      R"([{"stage": "llm", "direction": "forward", "tokens": [8], "bytes": [4000]},
          {"stage": "llm", "direction": "backward", "tokens": [8], "milliseconds": [5]}])");
  EXPECT_TRUE(measured.passes.at(0).times.empty());
}

TEST(MeasuredRows, MayHaveTheBytesThatForwardsKeep) {
  const std::string header = "stage,direction,tokens,patches,milliseconds,bytes\n";
  EXPECT_EQ(refused(header + "llm,forward,8,,1,4e6\nllm,forward,8,,1,\nllm,backward,8,,1,\n"),
            std::vector<std::string>());
  const std::vector<std::string> found =
      refused(header + "llm,backward,8,,1,4e6\nllm,forward,8,,1,-1\nllm,forward,8,,1\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NE(found[0].find("line 3: expected bytes above 0"), std::string::npos) << found[0];
  EXPECT_NE(found[1].find("line 4: expected 6 fields"), std::string::npos) << found[1];
  EXPECT_NE(refused(header + "llm,backward,8,,1,4e6\n").at(0).find("bytes of forwards alone"),
            std::string::npos);
  const PassTable measured = read(
      R"([{"stage": "llm", "direction": "forward", "tokens": [8], "milliseconds": [1, 2], "bytes": [4000]},
          {"stage": "llm", "direction": "optimizer", "milliseconds": [5]}])");
  EXPECT_EQ(measured.passes.at(0).kept, std::vector<Bytes>{Bytes(4000)});
  EXPECT_EQ(measured.updates.at(0).times, std::vector<Seconds>{milliseconds(5)});
}

struct Refused {
  const char *row, *violation;
};

// Without it, the name of a test would hold addresses.
void PrintTo(const Refused& refused, std::ostream* out) {
  *out << refused.row;
}

class RefusedRow : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedRow, SaysWhatWasExpected) {
  EXPECT_EQ(refused(kHeader + "llm,forward,8,,1\n" + GetParam().row + "\n"),
            std::vector<std::string>{std::string("line 3: expected ") + GetParam().violation});
}

INSTANTIATE_TEST_SUITE_P(
    BadInput, RefusedRow,
    ::testing::Values(
        Refused{"vit,forward,8,784,1", "a stage of blocks enc, llm, such as llm:0-1, found \"vit\""},
        Refused{"llm:0-9,forward,8,,1", "layers of llm from 0 to its 8, such as llm:0-8, found \"llm:0-9\""},
        Refused{"llm:4-4,forward,8,,1", "layers of llm from 0 to its 8, such as llm:0-8, found \"llm:4-4\""},
        Refused{"llm:4,forward,8,,1", "layers of llm from 0 to its 8, such as llm:0-8, found \"llm:4\""},
        Refused{"enc+llm:1-2,forward,8,784,1",
                "layers that follow each other, input first, found \"enc+llm:1-2\""},
        Refused{"llm,up,8,,1",
                "forward, backward, input_gradient, weight_gradient or optimizer, found \"up\""},
        Refused{"llm,forward,,784,1", "tokens, since layers of llm read them, found \"\""},
        Refused{"enc,forward,8,,1", "patches of images, since layers of enc read them, found \"\""},
        Refused{"llm,forward,-8,,1",
                "tokens as counts above 0, at most 16777216 together, such as \"2x2048 1024\", found \"-8\""},
        Refused{
            "llm,forward,8.5,,1",
            "tokens as counts above 0, at most 16777216 together, such as \"2x2048 1024\", found \"8.5\""},
        Refused{"llm,forward,16777216 1,,1",
                "tokens as counts above 0, at most 16777216 together, such as \"2x2048 1024\", found "
                "\"16777216 1\""},
        Refused{"llm,forward,8,,-1", "milliseconds above 0 and at most 1e9, found \"-1\""},
        Refused{"llm,forward,8,,nan", "milliseconds above 0 and at most 1e9, found \"nan\""},
        Refused{"llm,forward,8,,0", "milliseconds above 0 and at most 1e9, found \"0\""},
        Refused{"llm,forward,8", "5 fields, found \"llm,forward,8\""}));

TEST(MeasuredRows, NeedTheirColumns) {
  const std::string wanted =
      "line 1: expected the columns stage,direction,tokens,patches,milliseconds, found ";
  EXPECT_EQ(
      refused("stage,direction,tokens,patches,seconds\nllm,forward,8,,1\n"),
      std::vector<std::string>{
          "line 1: expected the columns stage,direction,tokens,patches,milliseconds, and bytes if they are "
          "known, found \"stage,direction,tokens,patches,seconds\""});
  EXPECT_EQ(refused(""), std::vector<std::string>{wanted + "an empty file"});
  EXPECT_EQ(refused(kHeader),
            std::vector<std::string>{"line 2: expected at least one measured pass, found none"});
}

TEST(MeasuredRows, RefuseAFileThatWasCut) {
  EXPECT_EQ(refused(kHeader + "llm,forward,8,,18"),
            std::vector<std::string>{
                "line 2: expected an end of the last line, found the end of the file, which was cut"});
}

TEST(MeasuredRows, AreAllRefusedAtOnce) {
  EXPECT_EQ(refused(kHeader + "vit,forward,8,784,1\nllm,up,8,,1\n").size(), 2u);
}

TEST(MeasuredRows, AreForExperimentsOnAPlatform) {
  try {
    read_experiment(Source(kExperiments + "small.json"), {{"/measured", "passes.csv"}});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.violations().front().pointer, "/measured");
    EXPECT_EQ(error.violations().front().expected, "no such key, since blocks have profiles");
  }
}

TEST(MeasuredRows, StateTheDevicesThatTheyWereMeasuredOn) {
  const Experiment experiment = read_experiment(Source(kExperiments + "ascend-910b-pp2.json"),
                                                {{"/measured", R"({"tensor": 2, "recompute": "full", "passes":
        [{"stage": "llm", "direction": "forward", "tokens": [8], "milliseconds": [1]}]})"}});
  const PassTable& measured = *on_platform(experiment.costs)->measured;
  EXPECT_EQ(measured.layout.tensor, 2u);
  EXPECT_EQ(measured.recompute.front().what, Recompute::Full);
  EXPECT_EQ(on_platform(experiment.costs)->parallelism.tensor, 1u);
}

std::vector<std::string> refused_key(const std::string& measured) {
  return refused_in("ascend-910b-pp2.json", measured);
}

TEST(MeasuredRows, OfADenseModelHaveNoExpertParallelSize) {
  EXPECT_EQ(refused_key(R"({"expert": 8, "passes": [{"stage": "llm", "direction": "forward", "tokens": [8],
                            "milliseconds": [1]}]})"),
            std::vector<std::string>{
                "/measured/expert: expected 1, since no block of the model has experts, found 8"});
}

TEST(MeasuredRows, OfAModelOfTextHaveNoPatches) {
  EXPECT_EQ(
      refused_key(R"({"passes": [{"stage": "llm", "direction": "forward", "tokens": [8],
                            "patches": [784], "milliseconds": [1]}]})"),
      std::vector<std::string>{"/measured/passes/0: expected no patches, since no block encodes images, "
                               "found \"784\""});
}

TEST(MeasuredRows, TakeNoTimesBeyondElevenDays) {
  EXPECT_EQ(
      refused_key(R"({"passes": [{"stage": "llm", "direction": "forward", "tokens": [8],
                            "milliseconds": [1, 1e12]}]})"),
      std::vector<std::string>{"/measured/passes/0/milliseconds/1: expected milliseconds above 0 and at "
                               "most 1e9, found 1e+12"});
}

TEST(MeasuredRows, RefuseDevicesThatCannotSplitTheModel) {
  try {
    read_experiment(Source(kExperiments + "ascend-910b-pp2.json"), {{"/measured", R"({"tensor": 3, "passes":
        [{"stage": "llm", "direction": "forward", "tokens": [8], "milliseconds": [1]}]})"}});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.violations().front().pointer, "/measured/tensor");
  }
}

TEST(MeasuredRows, KeepTheirTextForm) {
  EXPECT_EQ(counts_text({2048, 2048, 1024}), "2x2048 1024");
  EXPECT_EQ(counts_text({}), "");
}

}  // namespace
}  // namespace spillway::testing
