// Promised makespans and gains against runs of the changed documents.
#include "explain/would_help.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "evaluate/evaluate.h"
#include "evaluate/memory_limit.h"
#include "evaluate/steps.h"
#include "explain/explanation.h"
#include "explained_jobs.h"
#include "support/property.h"
#include "support/schema_check.h"

namespace spillway {
namespace {

Evaluation by_longest_path(const Experiment& experiment) {
  return evaluate(experiment, {.run = {Engine::LongestPath}});
}

std::vector<TriedChange> tried_on(const JobJson& job, std::size_t schedule) {
  return what_would_help(
      schedule, by_longest_path(read_job(job, {})).fitted,
      [&](const std::vector<Setting>& changes) { return read_alone(job, schedule, changes); });
}

std::set<std::string> words_of(const std::vector<TriedChange>& all) {
  std::set<std::string> words;
  for (const TriedChange& one : all) words.insert(one.change.words);
  return words;
}

// Runs the full evaluation, another path through the program than the point's.
void expect_promises_kept(const JobJson& job, std::size_t schedule) {
  std::size_t kept = 0;
  for (const TriedChange& tried : tried_on(job, schedule)) {
    const auto again = [&] { return by_longest_path(read_alone(job, schedule, tried.change.settings)); };
    if (!tried.refusal.empty()) {
      EXPECT_THROW(again(), InputError) << tried.change.words;
      continue;
    }
    EXPECT_EQ(tried.makespan, mean_makespan(again().schedules.front())) << tried.change.words;
    ++kept;
  }
  EXPECT_GE(kept, 3u);
}

TEST(WouldHelp, PromisesAreRunsOfGivenDurations) {
  JobJson job = given_job();
  expect_promises_kept(job, 0);
  expect_promises_kept(job, 1);
}

TEST(WouldHelp, PromisesAreRunsOfWhatIsPriced) {
  JobJson job = priced_job();
  job["model"]["blocks"][0]["recompute"] = "full";
  job["pipeline"]["replicas"] = 2;
  expect_promises_kept(job, 0);
  const std::set<std::string> words = words_of(tried_on(job, 0));
  for (const char* expected :
       {"node and supernode links (ub) twice as fast", "package links (die) twice as fast",
        "collectives inside passes that take no time", "no recomputation", "stages perfectly balanced",
        "layers split by their time", "one more microbatch", "4 pipeline ranks, half the replicas",
        "4 tensor-parallel devices, half the replicas", "2 context-parallel devices, half the replicas"})
    EXPECT_TRUE(words.contains(expected)) << expected;
}

// Plans list the layers of their stages.
TEST(WouldHelp, MoreRanksCutListedStagesInTwo) {
  JobJson job = plain_job();
  job["schedules"][0]["layers_per_rank"] = {3, 1};
  const auto tried_ranks = [&] {
    const std::vector<TriedChange> all = tried_on(job, 0);
    const auto found = std::ranges::find_if(
        all, [](const TriedChange& one) { return one.change.words.starts_with("4 pipeline ranks"); });
    return found == all.end() ? TriedChange{} : *found;
  };
  JobJson by_hand = job;
  by_hand["pipeline"]["ranks"] = 4;
  by_hand["schedules"][0]["layers_per_rank"] = {1, 1, 1, 1};  // one layer is not cut: all are shared out
  EXPECT_EQ(tried_ranks().makespan, mean_makespan(by_longest_path(read_job(by_hand, {})).schedules.front()));
  job["model"]["blocks"][0]["layers"] = 3;
  job["schedules"][0]["layers_per_rank"] = {2, 1};
  EXPECT_NE(tried_ranks().refusal, "");
  job["model"]["blocks"][0]["layers"] = 5;
  job["schedules"][0]["layers_per_rank"] = {3, 2};
  EXPECT_EQ(tried_ranks().refusal, "");
  by_hand = job;
  by_hand["pipeline"]["ranks"] = 4;
  by_hand["schedules"][0]["layers_per_rank"] = {2, 1, 1, 1};
  EXPECT_EQ(tried_ranks().makespan, mean_makespan(by_longest_path(read_job(by_hand, {})).schedules.front()));
}

TEST(WouldHelp, PromisesAreRunsOfWhatIsFitted) {
  JobJson job = given_job();
  job["fit"] = {{{"pointer", "/network/p2p_ms"}, {"schedule", "baseline"}, {"makespan_s", 0.7}}};
  const Experiment experiment = read_job(job, {});
  const double fitted = by_longest_path(experiment).fitted.front().value;
  for (const TriedChange& tried : tried_on(job, 1)) {
    if (!tried.refusal.empty()) continue;
    JobJson stated = given_job();
    stated["network"]["p2p_ms"] = fitted;
    EXPECT_EQ(tried.makespan,
              mean_makespan(by_longest_path(read_job(stated, tried.change.settings)).schedules[1]))
        << tried.change.words;
  }
}

RC_GTEST_PROP(WouldHelp, PromisesAreRunsOfAnyJob, ()) {
  JobJson job = given_job();
  const auto microbatches = *rc::gen::inRange(1U, 7U);
  job["pipeline"] = {{"ranks", *rc::gen::inRange(1U, 5U)},
                     {"microbatches", microbatches},
                     {"replicas", *rc::gen::inRange(1U, 4U)}};
  job["network"]["p2p_ms"] = *rc::gen::element(0.0, 0.5, 20.0);
  job["model"]["blocks"][0].erase("work_per_microbatch");
  job["schedules"] = {
      {{"name", "s"}, {"schedule", *rc::gen::element<std::string>("1f1b", "gpipe", "zb-h1")}}};
  if (*rc::gen::inRange(0, 2) == 0)
    job["schedules"][0] = {{"name", "s"}, {"schedule", "transpose,1f1b"}, {"owner", "round-robin"}};
  job["baseline"] = "s";
  for (const TriedChange& tried : tried_on(job, 0))
    if (tried.refusal.empty())
      RC_ASSERT(tried.makespan ==
                mean_makespan(by_longest_path(read_job(job, tried.change.settings)).schedules[0]));
}

// Adds to a plain pipeline a schedule with four encoders that share out a step's 8 microbatches.
JobJson with_modules(JobJson job) {
  job["pipeline"] = {{"ranks", 3}, {"microbatches", 4}, {"replicas", 2}};
  job["model"]["blocks"][0].erase("work_per_microbatch");
  job["network"]["p2p"] = "overlapped";
  job["schedules"] = {{{"name", "plain"}, {"schedule", "1f1b"}, {"split", "balanced"}},
                      {{"name", "apart"}, {"schedule", "1f1b,1f1b"}, {"split", "balanced"}}};
  job["schedules"][1]["modules"] = {{{"blocks", {"enc"}}, {"ranks", 1}, {"replicas", 4}},
                                    {{"blocks", {"llm"}}, {"ranks", 1}}};
  job["baseline"] = "apart";
  return job;
}

std::string text_of(const std::vector<TriedChange>& all) {
  std::string text;
  for (const TriedChange& one : all)
    text += one.change.words + " " + std::to_string(one.makespan.value()) + " " + one.refusal + '\n';
  return text;
}

// One microbatch more for each of two replicas makes 10, which four encoders cannot share out.
TEST(WouldHelp, NoOtherScheduleOfTheFileHasASay) {
  JobJson job = with_modules(given_job());
  for (const JobJson& all : {job, given_job()}) {
    for (std::size_t i = 0; i < all["schedules"].size(); ++i) {
      JobJson alone = all;
      alone["schedules"] = {all["schedules"][i]};
      alone.erase("baseline");
      std::string expected = text_of(tried_on(alone, 0));
      const std::string here = "/schedules/" + std::to_string(i);
      for (std::size_t at = 0; (at = expected.find("/schedules/0", at)) != std::string::npos;
           at += here.size())
        expected.replace(at, std::string("/schedules/0").size(), here);
      EXPECT_EQ(text_of(tried_on(all, i)), expected);
    }
  }
  EXPECT_EQ(text_of(tried_on(job, 0)).find("/modules"), std::string::npos);
  EXPECT_NE(text_of(tried_on(job, 1)).find("/schedules/1/modules/0/replicas"), std::string::npos);
}

// Terms that all systems share are those of the explained run.
TEST(WouldHelp, SystemsKeepTheTermsOfTheRun) {
  JobJson job = given_job();
  job["model"]["blocks"][0].erase("work_per_microbatch");
  job["schedules"] = {{{"name", "megatron"}, {"system", "megatron"}},
                      {{"name", "mpipe"}, {"system", "mpipe"}, {"body", "1f1b,1f1b"}}};
  job["baseline"] = "megatron";
  job["equal_terms"] = JobJson::object();
  expect_promises_kept(job, 0);
}

// Twice the devices for the same work in the same time lose half, and gain nothing.
TEST(WouldHelp, GainsAreOfTheTimeOfDevices) {
  JobJson job = plain_job();
  job["pipeline"] = {{"ranks", 2}, {"microbatches", 4}};
  for (const TriedChange& tried : tried_on(job, 0)) {
    if (tried.change.words.starts_with("4 pipeline ranks")) {
      EXPECT_EQ(tried.devices, 4u);
      // The step takes (P + M - 1) slots of a stage: 5 of 12 ms, and 7 of 6 ms.
      EXPECT_NEAR(tried.gain, 1 - (7 * 6.0 * 4) / (5 * 12.0 * 2), 1e-12);
    }
    if (tried.change.words == "one more microbatch") {
      EXPECT_NEAR(tried.gain, 1 - (6.0 / 5) / (5.0 / 4), 1e-12);
    }
  }
}

std::uint64_t batch_of(const Experiment& job) {
  return std::uint64_t{job.pipeline.microbatches} * job.pipeline.replicas;
}

std::uint64_t devices_of(const Experiment& job) {
  const auto* analytic = std::get_if<AnalyticExperiment>(&job.costs);
  return std::uint64_t{job.pipeline.ranks} * job.pipeline.replicas *
         (analytic ? analytic->costs.parallelism.members() : 1);
}

// Every tried change keeps the batch, except one more microbatch. A gain is in device time per microbatch of
// the batch.
void expect_gains_of_one_batch(const JobJson& job) {
  const Experiment as_is = read_job(job, {});
  const auto each = [](Seconds makespan, const Experiment& of) {
    return makespan.value() * static_cast<double>(devices_of(of)) / static_cast<double>(batch_of(of));
  };
  const double before = each(mean_makespan(by_longest_path(as_is).schedules[0]), as_is);
  for (const TriedChange& tried : tried_on(job, 0)) {
    if (!tried.refusal.empty()) continue;
    const Experiment changed = read_job(job, tried.change.settings);
    if (tried.change.words != "one more microbatch") {
      EXPECT_EQ(batch_of(changed), batch_of(as_is)) << tried.change.words;
    }
    EXPECT_NEAR(tried.gain, 1 - each(tried.makespan, changed) / before, 1e-12) << tried.change.words;
  }
}

TEST(WouldHelp, GainsAreOfOneBatch) {
  for (const std::uint32_t replicas : {1u, 2u, 3u, 4u}) {
    JobJson given = plain_job(), priced = priced_job();
    given["pipeline"]["replicas"] = priced["pipeline"]["replicas"] = replicas;
    expect_gains_of_one_batch(given);
    expect_gains_of_one_batch(priced);
  }
}

TEST(WouldHelp, SaysWhatWouldNotFit) {
  const auto peak = [](const JobJson& job) {
    return worst_peak(by_longest_path(read_job(job, {})).schedules[0])->peak.parts.total().value();
  };
  JobJson job = priced_job();
  const double without = peak(job);
  job["model"]["blocks"][0]["recompute"] = "full";
  job["memory"] = {{"limit_gb", (without + peak(job)) / 2e9}};
  const std::vector<TriedChange> all = tried_on(job, 0);
  for (const TriedChange& tried : all)
    if (tried.change.words == "no recomputation" ||
        tried.change.words == "package links (die) twice as fast") {
      EXPECT_EQ(tried.fits, tried.change.words != "no recomputation") << tried.change.words;
    }
  EXPECT_TRUE(words_of(all).contains("no recomputation"));
}

// Changes that the reader reports as having no effect are not tried.
TEST(WouldHelp, LeavesOutWhatChangesNothing) {
  JobJson job = plain_job();
  job["pipeline"] = {{"ranks", 1}, {"microbatches", 4}};
  const std::set<std::string> words = words_of(tried_on(job, 0));
  for (const char* idle :
       {"an encoder that takes no time", "links twice as fast", "stages perfectly balanced"})
    EXPECT_FALSE(words.contains(idle)) << idle;
  EXPECT_TRUE(words.contains("one more microbatch"));
}

TEST(WouldHelp, ListsTheLargestGainFirst) {
  const std::vector<TriedChange> all = tried_on(priced_job(), 0);
  for (std::size_t i = 1; i < all.size(); ++i)
    EXPECT_GE(all[i - 1].gain, all[i].refusal.empty() ? all[i].gain : all[i - 1].gain);
}

// The table states the bound's number in the row of the rank that the bound names, for the replica that both
// name.
TEST(ExplanationDocument, HasOneNumberForTheBusiestRank) {
  JobJson job = given_job();
  job["pipeline"]["replicas"] = 2;
  job["model"]["blocks"][0]["work_per_microbatch"] = {{1, 1, 1}, {2, 2, 2}};
  job["schedules"][1]["layers_per_rank"] = {6, 2, 2, 2};
  const Evaluation evaluation = by_longest_path(read_job(job, {}));
  const Explanation explanation{evaluation, {{&evaluation.schedules[1], {}}}};
  const auto document = nlohmann::json::parse(explanation_json(explanation));
  const auto& schedule = document["schedules"][0];
  EXPECT_EQ(schedule["replica"], 1);
  double most = 0;
  for (const auto& rank : schedule["ranks"]) most = std::max(most, rank["computing"].get<double>());
  EXPECT_GE(schedule["lower_bound_s"].get<double>(), most - 1e-12);
  const std::string text = explanation_text(explanation);
  EXPECT_NE(text.find("ranks of replica 1, which has the busiest rank:"), std::string::npos) << text;
  std::string words = text;
  std::ranges::replace(words, '\n', ' ');
  EXPECT_NE(words.find("of replica 1 computes"), std::string::npos) << text;
}

Explanation explained(const Evaluation& evaluation, const JobJson& job) {
  Explanation explanation{evaluation, {}};
  for (std::size_t i = 0; i < evaluation.schedules.size(); ++i)
    explanation.schedules.push_back({&evaluation.schedules[i], tried_on(job, i)});
  return explanation;
}

TEST(ExplanationDocument, IsOfItsSchemaAndSums) {
  for (const JobJson& job : {given_job(), priced_job()}) {
    const Evaluation evaluation = by_longest_path(read_job(job, {}));
    const auto document = nlohmann::json::parse(explanation_json(explained(evaluation, job)));
    EXPECT_EQ(testing::SchemaCheck("explanation").complaints(document), "");
    for (const auto& schedule : document["schedules"]) {
      const double makespan = schedule["makespan_s"];
      double kinds = 0;
      for (const auto& [kind, seconds] : schedule["critical_path"].items()) kinds += seconds.get<double>();
      EXPECT_NEAR(kinds, makespan, 1e-9 * makespan);
      for (const auto& rank : schedule["ranks"]) {
        double causes = 0;
        for (const auto& [cause, seconds] : rank.items()) causes += seconds.get<double>();
        EXPECT_NEAR(causes, makespan, 1e-9 * makespan);
      }
      EXPECT_LE(schedule["lower_bound_s"].get<double>(), makespan * (1 + 1e-12));
    }
  }
}

TEST(ExplanationText, SaysWhatIsNotRankedAndWhy) {
  JobJson job = given_job();
  job["model"]["blocks"][0].erase("work_per_microbatch");
  job["schedules"] = {{{"name", "omni"}, {"system", "megascale-omni"}}};
  job.erase("baseline");
  const Evaluation evaluation = by_longest_path(read_job(job, {}));
  const Explanation explanation{evaluation, {{&evaluation.schedules[0], {}}}};
  EXPECT_NE(explanation_text(explanation).find("  omni is not ranked: "), std::string::npos);
  const auto document = nlohmann::json::parse(explanation_json(explanation));
  EXPECT_EQ(document["schedules"][0]["ranked"], false);
  EXPECT_EQ(document["schedules"][0]["unranked_reason"], evaluation.schedules[0].unranked);
}

TEST(ExplanationText, NamesWhatWouldHelpAndEndsWithTheInputs) {
  const JobJson job = priced_job();
  const Evaluation evaluation = by_longest_path(read_job(job, {}));
  const std::string text = explanation_text(explained(evaluation, job));
  EXPECT_NE(text.find("what would help"), std::string::npos);
  EXPECT_NE(text.find("links (die) twice as fast"), std::string::npos);
  EXPECT_GT(text.rfind("input    "), text.find("what would help")) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

}  // namespace
}  // namespace spillway
