// The program mentions all that a user may expect to count: keys without effect, data that is left out.
#include "program.h"

namespace spillway::testing {
namespace {

const std::string kOwners = "workloads/experiments/owners.json --engine longest-path ";
const std::string kSmall = "workloads/experiments/small.json --engine longest-path ";
const std::string kA = "workloads/experiments/experiment-a.json ";

TEST_F(Cli, AKeyThatChangesNothingIsSaid) {
  const std::string said = "warning: /schedules/0/owner has no effect: nothing is transposed";
  EXPECT_EQ(run("run " + kOwners).out.find("has no effect"), std::string::npos);
  EXPECT_NE(run("run " + kOwners + "--set /schedules/0/owner=greedy").out.find(said), std::string::npos);
}

// An order from a file may be the one that needs a key.
TEST_F(Cli, AKeyThatAnAddedOrderNeedsIsNotSaid) {
  const std::string split = kSmall + "--set /model/blocks/1/profile/weight_gradient_activation_bytes=1 ";
  EXPECT_NE(run("run " + split).out.find("has no effect"), std::string::npos);
  EXPECT_EQ(run("run " + split + "--order workloads/orders/small-split.csv").out.find("has no effect"),
            std::string::npos);
}

TEST_F(Cli, ASweepSaysWhatChangesNothingAtAnyPoint) {
  const std::string sweep = file("s.json", R"({"schema": "spillway/sweep/1", "experiment": ")" +
                                               (kSource / "workloads/experiments/owners.json").string() +
                                               R"(", "axes": [{"pointer": "/schedules/0/owner",
                                               "values": ["greedy", "blocked"]}]})");
  const Outcome outcome = run("sweep '" + sweep + "' --out '" + (folder_ / "s.sqlite").string() + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("warning: /schedules/0/owner has no effect"), std::string::npos) << outcome.out;
}

TEST_F(Cli, WhatIsOddAboutAListOfImagesIsSaid) {
  const std::string list = file("boxes.csv", "filename,width,height\na,640,480\na,640,480\nb,320,240\n");
  const Outcome outcome =
      run("run workloads/experiments/image-work.json --engine longest-path --draws 1 --json --set " +
          std::string("/model/blocks/0/image_work/trace=") + list);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("rows that repeat an image of an earlier row are not counted again: 1 of 3"),
            std::string::npos)
      << outcome.out;
}

TEST_F(Cli, WhatIsLeftOutIsSaid) {
  const Outcome outcome = run("run " + kA +
                              "--engine longest-path --draws 2 --set /workload/sequence_tokens=4096 "
                              "--set /fit=[]");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("do not fit sequence_tokens 4096 and lose"), std::string::npos) << outcome.out;
}

TEST_F(Cli, ToLeaveOutMostIsRefused) {
  const std::string message =
      "experiment-a.json: /workload/sequence_tokens: expected room for at least half of the images";
  for (const char* command : {"run ", "explain ", "derive "})
    expect_refused(command + kA + "--set /workload/sequence_tokens=100", message);
}

}  // namespace
}  // namespace spillway::testing
