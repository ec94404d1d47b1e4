// What `run` says of an experiment that names no software.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "program.h"

namespace spillway::testing {
namespace {

using RunReport = nlohmann::json;
using UnstatedSoftware = Cli;

const std::string kWithout = "run workloads/experiments/llama3-405b.json --engine longest-path";

// The range is that of runs with each framework.
TEST_F(UnstatedSoftware, IsSaidWithWhatItCouldBeWorth) {
  const Outcome text = run(kWithout);
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("no framework is stated: under shipped ones"), std::string::npos) << text.out;
  const auto step = [&](const std::string& more) {
    const Outcome one = run(kWithout + more + " --json");
    EXPECT_EQ(one.status, 0) << one.err;
    const auto schedules = RunReport::parse(one.out)["schedules"];
    double least = schedules[0]["makespan_s"];
    for (const auto& schedule : schedules) least = std::min<double>(least, schedule["makespan_s"]);
    return least;
  };
  const double ratio = step(" --set /framework=internevo") / step("");
  char words[64];
  std::snprintf(words, sizeof words, "%.2f (internevo)", ratio);
  std::string flat = text.out;
  std::ranges::replace(flat, '\n', ' ');
  EXPECT_NE(flat.find(words), std::string::npos) << words << "\n" << text.out;
}

TEST_F(UnstatedSoftware, IsNotSaidOfSoftwareThatIsStated) {
  const Outcome stated = run(kWithout + " --set /framework=nemo");
  EXPECT_EQ(stated.out.find("no framework is stated:"), std::string::npos) << stated.out;
  const Outcome durations = run("run workloads/experiments/small.json --engine longest-path");
  EXPECT_EQ(durations.out.find("no framework is stated"), std::string::npos) << durations.out;
}

}  // namespace
}  // namespace spillway::testing
