#include "traces/samples/ascend_samples.h"

#include "ascend_files.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;
using namespace testing;

using AscendSamples = AscendFiles;

TEST_F(AscendSamples, AFolderWithoutMeasurementsHasNoSamples) {
  write_rank(0, kFirstStage);
  EXPECT_THROW(read_ascend_samples(root_.string()), InputError);
}

// An all-gather between two devices moves half of its vector into each; among four, no source states the
// share.
TEST_F(AscendSamples, CollectivesAmongMoreThanTwoAreDropped) {
  write_rank(0, "");
  const std::string bytes =
      R"({"HCCS": {"Size Distribution": {"8": [3, 0.5]}}, "SDMA": {"Size Distribution": {"8": [3, 0.5]}}})";
  write(kCommunication, R"({"step1": {"collective": {"hcom_allGather__1_1_1@7": )" + operation(bytes) +
                            R"(, "hcom_allGather__2_1_1@8": )" + operation(bytes) + "}}}");
  write("rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/communication_matrix.json",
        R"({"step1": {"collective": {"allgather-top1@7": {"0-1": {}}, "allgather-top1@8": {"1-3": {}}}}})");
  const Samples samples = read_ascend_samples(root_.string());
  ASSERT_EQ(samples.messages.size(), 1u);
  EXPECT_EQ(samples.messages[0].size, Bytes(48e6));
  EXPECT_EQ(samples.messages[0].time, Seconds(0.0005));
  EXPECT_TRUE(std::any_of(samples.notes.begin(), samples.notes.end(), [](const Note& note) {
    return note.kind == NoteKind::Dropped && note.count == 1 &&
           note.text.starts_with("collectives among more than two devices");
  }));
}

}  // namespace
}  // namespace spillway
