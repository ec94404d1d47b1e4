// Two experiments: a planted change is named and accounts for the whole difference; the parts of any pair add
// up.
#include "compare/comparison_print.h"
#include "compare/verdict.h"
#include "compared_documents.h"
#include "support/long_property.h"
#include "support/schema_check.h"
#include "support/shipped.h"
#include "words/spread.h"

namespace spillway {
namespace {

using testing::adds_up;
using testing::block_for_each_rank;
using testing::compared;
using testing::Document;
using testing::kExperiments;
using testing::pointers_of;
using testing::sum_of;

Document shipped_document(const std::string& name) {
  return Document::parse(content_of(kExperiments + name));
}

void expect_sums(const Comparison& comparison) {
  for (const ScheduleComparison& schedule : comparison.schedules) {
    EXPECT_TRUE(adds_up(sum_of(schedule.causes), schedule.makespan)) << schedule.name;
    if (!schedule.changes.empty()) {
      EXPECT_TRUE(adds_up(sum_of(schedule.changes), schedule.makespan)) << schedule.name;
    }
  }
}

TEST(CompareExperiments, WithThemselvesNothingMoves) {
  for (const std::string name : {"small", "pipelines", "owners", "zero-bubble", "skeletons", "reordering",
                                 "image-work", "experiment-b", "deepseek-v3-h800"}) {
    const std::string path = kExperiments + name + ".json";
    const Comparison comparison = compare_files(path, path);
    EXPECT_TRUE(nothing_moved(comparison)) << name;
    expect_sums(comparison);
    EXPECT_TRUE(comparison_text(comparison, {}).starts_with("no difference")) << name;
  }
}

// The note appears once, whichever side has it.
TEST(CompareExperiments, SayWhatIsNotRankedAndWhy) {
  Document a = shipped_document("small.json");
  a["model"]["blocks"][0].erase("work_per_microbatch");
  a["schedules"] = {{{"name", "omni"}, {"system", "megascale-omni"}}};
  a.erase("baseline");
  Document b = a;
  b["network"]["p2p_ms"] = 3;
  const Comparison comparison = compared(a, b);
  EXPECT_EQ(
      std::ranges::count_if(comparison.notes,
                            [](const std::string& note) { return note.starts_with("omni is not ranked: "); }),
      1);
}

TEST(CompareExperiments, ASlowerLinkIsNamed) {
  Document slower = block_for_each_rank();
  slower["network"]["p2p_ms"] = 3;
  const Comparison comparison = compared(block_for_each_rank(), slower);
  const ScheduleComparison& only = comparison.schedules.front();
  EXPECT_EQ(pointers_of(comparison), "/network/p2p_ms ");
  ASSERT_EQ(only.changes.size(), 1u);
  EXPECT_EQ(only.changes[0].pointers, std::vector<std::string>{"/network/p2p_ms"});
  EXPECT_GT(only.makespan.difference(), 0);
  expect_sums(comparison);
  EXPECT_EQ(only.first_divergence->event,
            "transfer of microbatch 1 from stage 0 of b0+b1+b2+b3 to stage 1 of "
            "b0+b1+b2+b3");
  EXPECT_EQ(only.moves.front().what, "transfer");
}

// Planning takes longer than either of two steps of 3 and 1 times the images: the whole difference is the
// wait.
TEST(CompareExperiments, AWaitForAPlanIsACause) {
  Document drawn = shipped_document("systems-four-replicas.json");
  drawn["pipeline"]["microbatches"] = 8;
  drawn["draws"] = 2;
  drawn["model"]["blocks"][0]["image_work"]["trace"] =
      std::string(SPILLWAY_SOURCE_DIR) + "/workloads/traces/servegen_image_tokens.csv";
  drawn.erase("baseline");
  drawn["schedules"] = Document::array({{{"name", "only"}, {"system", "entrain"}}});
  Document planned = drawn;
  planned["schedules"][0]["planning_ms"] = 5000;
  const Comparison comparison = compared(drawn, planned);
  const ScheduleComparison& only = comparison.schedules.front();
  expect_sums(comparison);
  EXPECT_NEAR(only.makespan.b, 5, 1e-9);
  for (const Cause& cause : only.causes)
    EXPECT_NEAR(cause.difference.value(), cause.name == "planning" ? only.makespan.difference() : 0, 1e-9)
        << cause.name;
  const auto reports =
      compare_files(testing::report_file("a.json", drawn), testing::report_file("b.json", planned));
  expect_sums(reports);
}

// F 10 and B 20 ms on 4 ranks, 8 microbatches; forwards take 16 ms on rank 2.
TEST(CompareExperiments, ASlowRankIsNamed) {
  Document slow = block_for_each_rank();
  slow["model"]["blocks"][2]["profile"]["forward_ms"] = 16;
  const Comparison comparison = compared(block_for_each_rank(), slow);
  const ScheduleComparison& only = comparison.schedules.front();
  EXPECT_EQ(pointers_of(comparison), "/model/blocks/2/profile/forward_ms ");
  ASSERT_EQ(only.moves.size(), 1u);
  EXPECT_EQ(only.moves[0].rank, RankId(2));
  EXPECT_EQ(only.moves[0].what, "forward");
  EXPECT_NEAR(only.moves[0].a.value(), 0.080, 1e-12);
  EXPECT_NEAR(only.moves[0].b.value(), 0.128, 1e-12);
  EXPECT_EQ(only.first_divergence->a->rank, RankId(2));
  EXPECT_NEAR(only.first_divergence->a->end.value(), 0.031, 1e-12);
  EXPECT_NEAR(only.first_divergence->b->end.value(), 0.037, 1e-12);
  expect_sums(comparison);
}

TEST(CompareExperiments, AnotherOwnerMapIsNamed) {
  Document a = shipped_document("owners.json"), b = a;
  b["schedules"][2]["owner"] = "round-robin";
  const Comparison comparison = compared(a, b);
  EXPECT_EQ(pointers_of(comparison), "/schedules/2/owner ");
  for (const ScheduleComparison& schedule : comparison.schedules)
    EXPECT_EQ(schedule.makespan.difference() != 0, schedule.name == "greedy") << schedule.name;
  const Divergence& parting = *comparison.schedules[2].first_divergence;
  EXPECT_TRUE(parting.event.starts_with("encoder forward of microbatch ")) << parting.event;
  ASSERT_TRUE(parting.a && parting.b);
  EXPECT_NE(parting.a->rank, parting.b->rank);
  expect_sums(comparison);
}

// The platform lies in its own file; a copy has another bandwidth and another latency.
TEST(CompareExperiments, AnEditedPlatformIsSeenByItsPointers) {
  const std::string folder = testing::kSource + "/platforms/";
  Document platform = Document::parse(content_of(folder + "hgx-h100.json"));
  for (auto& table : platform["accelerator"]["operators"])
    table["file"] = folder + table["file"].get<std::string>();
  platform["tiers"][1]["bandwidth_gbps"]["value"] = 10;
  platform["tiers"][1]["latency_us"]["value"] = 50;
  Document experiment = shipped_document("llama3-405b.json");
  experiment["pipeline"] = {{"ranks", 8}, {"microbatches", 8}, {"replicas", 2}};
  experiment["parallel"] = {{"tensor", 8}};
  auto& architecture = experiment["model"]["blocks"][0]["architecture"];
  architecture = (kExperiments + architecture.get<std::string>());
  experiment["schedules"] = Document::array({{{"name", "1f1b"}, {"schedule", "1f1b"}}});
  experiment.erase("baseline");
  Document other = experiment;
  experiment["platform"] = folder + "hgx-h100.json";
  other["platform"] = written("platform.json", platform.dump());
  const Comparison comparison = compared(experiment, other);
  EXPECT_EQ(pointers_of(comparison),
            "/platform/tiers/1/latency_us/value /platform/tiers/1/bandwidth_gbps/value ");
  EXPECT_GT(comparison.schedules[0].changes[1].difference, Seconds());
  expect_sums(comparison);
  // Setting the same numbers in the experiment gives the same experiment.
  Document set = experiment;
  set["platform_set"] = {{"/tiers/1/bandwidth_gbps/value", 10}, {"/tiers/1/latency_us/value", 50}};
  EXPECT_TRUE(nothing_moved(compared(other, set)));
}

TEST(CompareExperiments, AnotherArchitectureIsSeenInItsFile) {
  Document config = Document::parse(content_of(shipped("workloads/models/llama-3-8b/config.json")));
  Document experiment = shipped_document("llama3-405b.json"), other;
  experiment["platform"] = testing::kSource + "/platforms/hgx-h100.json";
  experiment["pipeline"] = {{"ranks", 8}, {"microbatches", 8}};
  experiment["parallel"] = {{"tensor", 8}};
  experiment["schedules"] = Document::array({{{"name", "1f1b"}, {"schedule", "1f1b"}}});
  experiment.erase("baseline");
  auto& blocks = experiment["model"]["blocks"];
  blocks = Document::array({{{"name", "llm"}, {"trainable", true}}});
  other = experiment;
  blocks[0]["architecture"] = shipped("workloads/models/llama-3-8b/config.json");
  config["intermediate_size"] = 16384;
  config["num_hidden_layers"] = 40;
  other["model"]["blocks"][0]["architecture"] = written("config.json", config.dump());
  const Comparison comparison = compared(experiment, other);
  EXPECT_EQ(pointers_of(comparison),
            "/model/blocks/0/architecture/intermediate_size "
            "/model/blocks/0/architecture/num_hidden_layers ");
  ASSERT_EQ(comparison.schedules[0].changes.size(), 1u);  // a file counts as one change
  EXPECT_EQ(comparison.schedules[0].changes[0].pointers.size(), 2u);
  expect_sums(comparison);
}

// A split states the layers of each rank, so the ranks and the split cannot change one without the other.
TEST(CompareExperiments, WhatIsRefusedAloneJoinsTheNext) {
  Document a = shipped_document("small.json"), b = a;
  b["pipeline"]["ranks"] = 2;
  b["network"]["p2p_ms"] = 1;
  b["schedules"][1]["layers_per_rank"] = {8, 4};
  const Comparison comparison = compared(a, b);
  const std::vector<std::string> together = {"/pipeline/ranks", "/network/p2p_ms",
                                             "/schedules/1/layers_per_rank"};
  ASSERT_EQ(comparison.schedules[0].changes.size(), 1u);
  EXPECT_EQ(comparison.schedules[0].changes[0].pointers, together);
  expect_sums(comparison);
}

TEST(CompareExperiments, ManyChangesAreMadeTogetherByTheirFirstToken) {
  Document b = block_for_each_rank();
  for (auto& block : b["model"]["blocks"]) {
    block["profile"] = testing::profile(11, 12, 13);
    block["profile"]["activation_bytes"] = 1e6;
    block["trainable"] = true;
  }
  b["network"]["p2p_ms"] = 2;
  b["seed"] = 3;
  const Comparison comparison = compared(block_for_each_rank(), b);
  ASSERT_EQ(comparison.schedules[0].changes.size(), 3u);
  EXPECT_EQ(comparison.schedules[0].changes[0].pointers.size(), 16u);
  EXPECT_EQ(comparison.schedules[0].changes[1].pointers, std::vector<std::string>{"/network/p2p_ms"});
  expect_sums(comparison);
}

TEST(CompareExperiments, IntervalsAreOfPairedDifferences) {
  Document a = shipped_document("image-work.json"), b = a;
  a["draws"] = b["draws"] = 12;
  for (Document* one : {&a, &b})
    for (auto& block : (*one)["model"]["blocks"])
      if (block.contains("image_work"))
        block["image_work"]["trace"] = kExperiments + block["image_work"]["trace"].get<std::string>();
  b["model"]["blocks"][0]["profile"]["forward_ms"] =
      2.5 * a["model"]["blocks"][0]["profile"]["forward_ms"].get<double>();
  const Comparison comparison = compared(a, b);
  const Evaluation first = testing::evaluated(a), second = testing::evaluated(b);
  for (std::size_t s = 0; s < comparison.schedules.size(); ++s) {
    std::vector<double> differences;
    for (std::size_t draw = 0; draw < 12; ++draw)
      differences.push_back(
          (second.schedules[s].draws[draw].step.makespan - first.schedules[s].draws[draw].step.makespan)
              .value());
    ASSERT_TRUE(comparison.schedules[s].makespan.ci95);
    EXPECT_DOUBLE_EQ(*comparison.schedules[s].makespan.ci95, spread(differences).ci95);
  }
  expect_sums(comparison);
  b["seed"] = 99;
  const Comparison unpaired = compared(a, b);
  EXPECT_FALSE(unpaired.schedules[0].makespan.ci95);
  ASSERT_FALSE(unpaired.notes.empty());
  EXPECT_EQ(unpaired.notes[0],
            "A has 12 draws from seed 1, B 12 draws from seed 99: the draws are not paired, so no "
            "difference has an interval");
}

// A verdict's percentages are of A, for the interval as for the difference. B takes 2.5 times as long, so
// that percentages of B would differ.
TEST(CompareExperiments, TheIntervalIsOfTheSideThatIsComparedWith) {
  Document a = shipped_document("image-work.json");
  a["draws"] = 12;
  for (auto& block : a["model"]["blocks"])
    if (block.contains("image_work"))
      block["image_work"]["trace"] = kExperiments + block["image_work"]["trace"].get<std::string>();
  Document b = a;
  for (auto& block : b["model"]["blocks"])
    for (const char* pass : {"forward_ms", "input_gradient_ms", "weight_gradient_ms"})
      block["profile"][pass] = 2.5 * block["profile"][pass].get<double>();
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
    const Comparison comparison = compared(from, to);
    for (const ScheduleComparison& schedule : comparison.schedules) {
      const ComparedFigure& makespan = schedule.makespan;
      ASSERT_TRUE(makespan.ci95 && *makespan.ci95 > 0);
      const std::string said = verdict(comparison, schedule);
      double low = 0, high = 0;
      ASSERT_EQ(std::sscanf(said.c_str() + said.find('['), "[%lf, %lf]", &low, &high), 2) << said;
      EXPECT_NEAR(high - low, 2 * 100 * *makespan.ci95 / makespan.a, 0.011) << said;
      EXPECT_NEAR((high + low) / 2, std::abs(100 * (makespan.b - makespan.a) / makespan.a), 0.006) << said;
    }
  }
}

TEST(CompareExperiments, SchedulesOfOneSideAreNamed) {
  Document a = shipped_document("owners.json"), b = a;
  a["schedules"].erase(1);
  b["schedules"].erase(4);
  const Comparison comparison = compared(a, b);
  EXPECT_EQ(comparison.only_a, std::vector<std::string>{"makespan"});
  EXPECT_EQ(comparison.only_b, std::vector<std::string>{"round-robin"});
  EXPECT_EQ(comparison.schedules.size(), 3u);
  for (auto& schedule : b["schedules"]) schedule["name"] = "other " + schedule["name"].get<std::string>();
  b.erase("baseline");
  EXPECT_THROW(compared(a, b), InputError);
}

TEST(CompareExperiments, OneScheduleOfEachIsHeldAgainstTheOther) {
  Document b = block_for_each_rank();
  b["schedules"] = Document::array({{{"name", "another"}, {"schedule", "gpipe"}}});
  const Comparison comparison = compared(block_for_each_rank(), b);
  ASSERT_EQ(comparison.schedules.size(), 1u);
  EXPECT_EQ(comparison.schedules[0].other_name, "another");
  EXPECT_FALSE(nothing_moved(comparison));
  expect_sums(comparison);
}

SPILLWAY_LONG_PROP(CompareExperiments, OfRandomPairsAddUpAndAreOppositeTheOtherWayRound, 100) {
  const Document a = *rc::gen::exec(testing::random_document), b = *rc::gen::exec(testing::random_document);
  const Comparison there = compared(a, b), back = compared(b, a);
  for (std::size_t s = 0; s < there.schedules.size(); ++s) {
    const ScheduleComparison &one = there.schedules[s], &other = back.schedules[s];
    RC_ASSERT(adds_up(sum_of(one.causes), one.makespan));
    RC_ASSERT(adds_up(sum_of(one.changes), one.makespan));
    RC_ASSERT(one.makespan.difference() == -other.makespan.difference());
    for (std::size_t i = 0; i < one.causes.size(); ++i)
      RC_ASSERT(one.causes[i].difference == Seconds() - other.causes[i].difference);
    RC_ASSERT(one.first_divergence.has_value() == other.first_divergence.has_value());
  }
  RC_ASSERT(there.configuration.size() == back.configuration.size());
}

SPILLWAY_LONG_PROP(CompareExperiments, AreWrittenAsTheirSchemaSays, 100) {
  static const testing::SchemaCheck schema("comparison");
  const Document a = *rc::gen::exec(testing::random_document), b = *rc::gen::exec(testing::random_document);
  const Comparison comparison = compared(a, b);
  const auto conditions = outcomes_of({condition_from("makespan_s > 2 %")}, comparison);
  const auto document = nlohmann::json::parse(comparison_json(comparison, conditions));
  RC_ASSERT(schema.complaints(document) == "");
  std::istringstream lines(comparison_text(comparison, conditions));
  for (std::string line; std::getline(lines, line);) RC_ASSERT(line.size() <= 100u);
}

}  // namespace
}  // namespace spillway
