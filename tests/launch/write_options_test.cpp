// Every option that a writer writes is one of its framework's, with a value of its type
// (tests/launch/options: names and types as facts, with repository and commit).
#include <map>

#include "option_facts.h"

namespace spillway {
namespace {

TEST(WriteOptions, EveryOptionOfEveryShippedExperimentIsOneOfItsFramework) {
  std::map<std::string, int> written;
  for (const auto& entry :
       std::filesystem::directory_iterator(SPILLWAY_SOURCE_DIR "/workloads/experiments")) {
    const Experiment experiment = read_experiment(Source(entry.path().string()), {});
    for (const ScheduleSpec& schedule : experiment.schedules)
      for (const LaunchWriter& writer : launch_writers()) {
        const LaunchAnswer answer = write_launch(experiment, schedule, writer.framework);
        const auto* launch = std::get_if<WrittenLaunch>(&answer);
        if (!launch) continue;
        ++written[std::string(writer.name)];
        expect_known_options(writer.name, *launch, entry.path().string() + ' ' + schedule.name);
      }
  }
  EXPECT_GT(written["megatron-lm"], 1);
}

TEST(WriteOptions, AnOptionThatIsNoneAndAValueOfAnotherTypeAreFound) {
  const Node facts = option_facts("megatron-lm");
  const auto one = [](const char* name, std::vector<ScriptWord> values) {
    return LaunchArgument{name, std::move(values), 0};
  };
  EXPECT_EQ(objection(facts, one("--num-layers", {{"8", 0}})), "");
  EXPECT_EQ(objection(facts, one("--number-layers", {{"8", 0}})), "--number-layers is none of its options");
  EXPECT_EQ(objection(facts, one("--num-layers", {{"8.5", 0}})), "--num-layers has no value of type int");
  EXPECT_EQ(objection(facts, one("--swiglu", {{"8", 0}})), "--swiglu has no value of type flag");
  EXPECT_EQ(objection(facts, one("--fp8-format", {{"e5m2", 0}})), "--fp8-format does not take its value");
}

}  // namespace
}  // namespace spillway
