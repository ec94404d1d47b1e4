// Two towers before one backbone, by hand: order, time and memory.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "derive/derive.h"
#include "draws/costs.h"
#include "evaluate/evaluate.h"
#include "experiment/assumed.h"
#include "experiment/derive_options.h"
#include "input/experiment/experiment.h"
#include "support/engines.h"

namespace spillway {
namespace {

using testing::kLongestPath;

std::string profile(int ms, int bytes) {
  const std::string each = std::to_string(ms);
  return R"("profile": { "forward_ms": )" + each + R"(, "input_gradient_ms": )" + each +
         R"(, "weight_gradient_ms": )" + each + R"(, "activation_bytes": )" + std::to_string(bytes) + " }";
}

// A trained tower of 2 ms, a frozen one of 4 ms, and a backbone of 10 ms a layer.
std::string document(const std::string& feeds, const std::string& schedule) {
  return R"({ "schema": "spillway/experiment/1", "name": "towers",
  "pipeline": { "ranks": 2, "microbatches": 2 },
  "model": { "blocks": [
    { "name": "vision", "role": "encoder", "layers": 1, )" +
         feeds + profile(2, 100) + R"( },
    { "name": "audio", "role": "encoder", "layers": 1, "trainable": false, )" +
         profile(4, 50) + R"( },
    { "name": "llm", "layers": 2, )" +
         profile(10, 10) + R"( } ] },
  "schedules": [ { "name": "s", "schedule": ")" +
         schedule + R"(", "owner": "round-robin" } ] })";
}

const std::string kTowersBeside = R"("feeds": "llm", )";

Experiment read(const std::string& feeds, const std::string& schedule) {
  return parse_experiment(document(feeds, schedule), "towers.json", {}, {});
}

StepFigures step_of(const std::string& feeds, const std::string& schedule = "transpose,transpose,1f1b") {
  return evaluate(read(feeds, schedule), kLongestPath).schedules[0].draws[0].step;
}

// Each rank encodes one microbatch in 6 ms. The backbone then takes 10 ms a forward and 20 ms a backward:
//   rank 0  e1 0-6   F1 6-16   F2 16-26            B1 46-66         B2 76-96   b1 96-100
//   rank 1  e2 0-6             F1 16-26  B1 26-46  F2 46-56  B2 56-76          b2 96-100
// A backward of the towers is the trained one's: no gradient passes through the frozen one beside it.
TEST(Towers, SideBySidePassNoGradientsToEachOther) {
  EXPECT_NEAR(step_of(kTowersBeside).makespan.value(), 0.100, 1e-12);
}

// In a row, the frozen tower passes the gradient on: its input gradient takes 4 ms more.
TEST(Towers, InARowTheyDo) {
  EXPECT_NEAR(step_of("").makespan.value(), 0.104, 1e-12);
}

std::vector<std::string> events_of(const std::string& schedule) {
  const Experiment experiment = read(kTowersBeside, schedule);
  const ScheduleSpec& spec = experiment.schedules[0];
  const Derived derived = derive(experiment.model, spec.schedule, spec.cut, derive_options(experiment, spec));
  std::vector<std::string> names;
  for (const Event& event : derived.order.events()) names.push_back(event_name(event, derived));
  return names;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Each hands over to the backbone by itself. The frozen one gets no gradient and reduces nothing.
TEST(Towers, TransposedEachIsARegionOfItsOwn) {
  for (const char* schedule : {"transpose,transpose,1f1b", "transpose,1f1b"}) {
    const auto names = events_of(schedule);
    for (const char* name :
         {"Fwd(vision,0,1)", "Fwd(audio,0,1)", "Fwd(vision,1,2)", "Fwd(audio,1,2)",
          "Coll(Gather,vision-llm,2)", "Coll(Gather,audio-llm,2)", "Coll(Scatter,vision-llm,1)",
          "Bwd(vision,0,1)", "DpReduce(vision,ReplicaGroup)"})
      EXPECT_TRUE(has(names, name)) << schedule << ": " << name;
    for (const char* name : {"Bwd(audio,0,1)", "Coll(Scatter,audio-llm,1)", "DpReduce(audio,ReplicaGroup)"})
      EXPECT_FALSE(has(names, name)) << schedule << ": " << name;
  }
}

TEST(Towers, AreCutTogetherByDefaultWhereRegionsAreFewer) {
  EXPECT_EQ(read(kTowersBeside, "transpose,1f1b").schedules[0].cut, (Cut{{2}}));
  EXPECT_EQ(read(kTowersBeside, "transpose,transpose,1f1b").schedules[0].cut, (Cut{{1, 2}}));
  EXPECT_NEAR(step_of(kTowersBeside, "transpose,1f1b").makespan.value(), 0.100, 1e-12);
}

// The step's peak on rank 0: the trained tower's activations of microbatch 1, and two microbatches of the
// backbone's. The frozen tower keeps nothing, since it runs no backward. In a row it keeps its own.
TEST(Towers, AFrozenTowerBesideATrainedOneKeepsNothing) {
  const auto peak = [](const std::string& feeds) {
    const Evaluation evaluation = evaluate(read(feeds, "transpose,transpose,1f1b"), kLongestPath);
    return evaluation.schedules[0].draws[0].memory[0].parts.total().value();
  };
  EXPECT_DOUBLE_EQ(peak(kTowersBeside), 100 + 2 * 10);
  EXPECT_DOUBLE_EQ(peak(""), 150 + 2 * 10);
}

// Greedy owners, whose slack is 0 and 10 ms: the encodes of audio and the first of vision fill rank 1, so the
// second of vision is rank 0's. The frozen tower gets no gradient.
//   rank 0  v2 0-2            F1 6-16   F2 16-26            B1 46-66         B2 76-96   b2 96-100
//   rank 1  v1 0-2  a1 2-6  a2 6-10     F1 16-26  B1 26-46  F2 46-56  B2 56-76   b1 76-80
const std::string kTwoOwners = R"({ "schema": "spillway/experiment/1", "name": "towers",
  "pipeline": { "ranks": 2, "microbatches": 2 },
  "model": { "blocks": [
    { "name": "vision", "role": "encoder", "layers": 1, "feeds": "llm", "profile": {
        "forward_ms": 2, "input_gradient_ms": 2, "weight_gradient_ms": 2, "activation_bytes": 100,
        "output_bytes": 7 } },
    { "name": "audio", "role": "encoder", "layers": 1, "trainable": false, "profile": {
        "forward_ms": 4, "input_gradient_ms": 4, "weight_gradient_ms": 4, "activation_bytes": 50,
        "output_bytes": 3 } },
    { "name": "llm", "layers": 2, "profile": {
        "forward_ms": 10, "input_gradient_ms": 10, "weight_gradient_ms": 10, "activation_bytes": 10 } } ] },
  "schedules": [ { "name": "s", "schedule": "transpose,1f1b", "owner": "greedy" } ] })";

class TwoOwners : public ::testing::Test {
 protected:
  // By rank: its computing events, "Fwd(vision,0,2) 0-2".
  std::vector<std::string> computed(std::uint32_t rank) const {
    const ScheduleResult& schedule = evaluation_.schedules[0];
    std::vector<std::string> events;
    for (const EventId id : schedule.derived->order.nodes(RankId(rank))) {
      const Event& event = schedule.derived->order.event(id);
      if (!event.computes()) continue;
      const auto ms = [](Seconds time) { return std::to_string(std::lround(time.value() * 1e3)); };
      const Timeline& timeline = schedule.first.timeline;
      events.push_back(event_name(event, *schedule.derived) + ' ' + ms(timeline.start.at(id, 0)) + '-' +
                       ms(timeline.end.at(id, 0)));
    }
    return events;
  }

  const Evaluation evaluation_ = evaluate(parse_experiment(kTwoOwners, "towers.json", {}, {}), kLongestPath);
};

TEST_F(TwoOwners, EachTowerHasItsOwn) {
  using Events = std::vector<std::string>;
  EXPECT_EQ(computed(0), (Events{"Fwd(vision,0,2) 0-2", "Fwd(llm,0,1) 6-16", "Fwd(llm,0,2) 16-26",
                                 "Bwd(llm,0,1) 46-66", "Bwd(llm,0,2) 76-96", "Bwd(vision,0,2) 96-100"}));
  EXPECT_EQ(computed(1), (Events{"Fwd(vision,1,1) 0-2", "Fwd(audio,1,1) 2-6", "Fwd(audio,1,2) 6-10",
                                 "Fwd(llm,1,1) 16-26", "Bwd(llm,1,1) 26-46", "Fwd(llm,1,2) 46-56",
                                 "Bwd(llm,1,2) 56-76", "Bwd(vision,1,1) 76-80"}));
}

// E_r is the sum over the towers. With encoders that take no time the step ends at 90 ms.
TEST_F(TwoOwners, TheEncoderIsTheSumOfTheTowers) {
  const DrawResult& draw = evaluation_.schedules[0].draws[0];
  EXPECT_NEAR(draw.ranks[0].spill->encoder.value(), 0.002, 1e-12);
  EXPECT_NEAR(draw.ranks[1].spill->encoder.value(), 0.010, 1e-12);
  EXPECT_NEAR(draw.ranks[0].spill->warm_up_slack.value(), 0.000, 1e-12);
  EXPECT_NEAR(draw.ranks[1].spill->warm_up_slack.value(), 0.010, 1e-12);
  EXPECT_NEAR(draw.step.spill->max_spill.value(), 0.002, 1e-12);
  EXPECT_NEAR(draw.step.spill->exposed_encoder.value(), 0.010, 1e-12);
  EXPECT_NEAR(evaluation_.schedules[0].encoder->mean.value(), 0.006, 1e-12);
}

// Rank 0: v2's activations of 100, one microbatch of 10 in the backbone, and both outputs of microbatch 2 (7
// and 3) wait from 10 ms on. Rank 1: v1's 100, microbatch 2 of 10 in the backbone, and from 66 ms on the
// gradient of v1's output (7), which waits for the end of the body.
TEST_F(TwoOwners, OutputsOfEachTowerWaitByThemselves) {
  const auto& memory = evaluation_.schedules[0].draws[0].memory;
  EXPECT_DOUBLE_EQ(memory[0].parts.total().value(), 100 + 10 + 7 + 3);
  EXPECT_DOUBLE_EQ(memory[0].parts.waiting.value(), 7 + 3);
  EXPECT_NEAR(memory[0].when.value(), 0.010, 1e-12);
  EXPECT_DOUBLE_EQ(memory[1].parts.total().value(), 100 + 10 + 7);
  EXPECT_NEAR(memory[1].when.value(), 0.066, 1e-12);
}

std::string refusal_of_feeds(const std::string& feeds) {
  try {
    read(feeds, "1f1b");
  } catch (const InputError& error) {
    return to_string(error.violations().front());
  }
  return "";
}

TEST(Towers, FeedTheNextBlockOrTheOneBehindThem) {
  EXPECT_EQ(refusal_of_feeds(R"("feeds": "audio", )"), "");
  EXPECT_NE(refusal_of_feeds(R"("feeds": "vision", )").find("/model/blocks/0/feeds"), std::string::npos);
}

// On a platform: 300 image tokens and 100 of audio of a microbatch, in BF16, enter the backbone.
class TowersOnAPlatform : public ::testing::Test {
 protected:
  static Experiment job(const std::string& schedule = "transpose,transpose,1f1b") {
    return read_experiment(
        SPILLWAY_SOURCE_DIR "/workloads/experiments/images-and-audio.json",
        {{"/pipeline/ranks", "2"},
         {"/pipeline/microbatches", "2"},
         {"/pipeline/replicas", "1"},
         {"/parallel/tensor", "1"},
         {"/model/blocks/0/layers", "2"},
         {"/model/blocks/1/layers", "2"},
         {"/model/blocks/2/layers", "2"},
         {"/workload",
          R"({"trace": ")" SPILLWAY_SOURCE_DIR
          R"(/workloads/traces/image_448.csv", "images_per_sample": 1, "text_tokens": 44, "packing": "unpacked",
              "audio": {"trace": ")" SPILLWAY_SOURCE_DIR
          R"(/workloads/traces/activitynet_audio.csv", "clips_per_sample": 1, "max_seconds": 1}})"},
         {"/schedules", R"([{"name": "s", "schedule": ")" + schedule + R"("}])"},
         {"/baseline", "s"},
         {"/draws", "1"}});
  }
};

// The bytes of a microbatch that the later region of each seam receives, forward.
using Received = std::map<std::string, double>;
Received received_of(const Experiment& experiment) {
  const ScheduleSpec& spec = experiment.schedules[0];
  const Derived derived = derive(experiment.model, spec.schedule, spec.cut, derive_options(experiment, spec));
  const DrawCosts draws(experiment);
  const auto costs = draws.of(derived, 0);
  Received received;
  for (const Event& event : derived.order.events()) {
    if (!event.transfers() || derived.stage(event.stage).region >= derived.stage(event.peer_stage).region)
      continue;
    const std::string seam =
        derived.region_of(event.stage).name + '-' + derived.region_of(event.peer_stage).name;
    received[seam] = costs->received(event, ReplicaId(0)).value();
  }
  return received;
}

// A square of 448 pixels has 32 x 32 patches, 256 tokens. A second of audio has 25. All are 3584 wide.
TEST_F(TowersOnAPlatform, EachOutputEntersTheBackboneByItself) {
  EXPECT_EQ(received_of(job()), (Received{{"vision-llm", 2.0 * 3584 * 256}, {"audio-llm", 2.0 * 3584 * 25}}));
}

// Pipelined, the images' tokens pass through the audio tower's stages.
TEST_F(TowersOnAPlatform, PipelinedOutputsTravelOnTogether) {
  EXPECT_EQ(received_of(job("1f1b,1f1b,1f1b")),
            (Received{{"vision-audio", 2.0 * 3584 * 256}, {"audio-llm", 2.0 * 3584 * (256 + 25)}}));
}

TEST_F(TowersOnAPlatform, SaysThatTheyAreSideBySide) {
  bool said = false;
  for (const std::string& sentence : assumed(job()))
    said |= sentence.starts_with("vision and audio are side by side");
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace spillway
