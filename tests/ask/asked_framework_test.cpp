// The framework of a layout that users ask about, against every framework of its cluster tried.
#include "ask/asked_framework.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "asked_jobs.h"
#include "launch/write/frameworks.h"

namespace spillway {
namespace {

// Visits about this many of the job's layouts.
template <class Visit>
void for_some_layouts(const PlanJob& job, std::size_t about, Visit visit) {
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  for (std::size_t i = 0; i < layouts.size(); i += 1 + layouts.size() / about) visit(layouts[i]);
}

bool notes_have(const AskedLayout& asked, const std::string& words) {
  return std::ranges::any_of(asked.notes,
                             [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

Lines wrong(const PlanJob& job, const std::string& text) {
  return complaints([&] { asked_layout(job, text); });
}

TEST(AskedFramework, OfATextIsTheOneThatItNames) {
  const PlanJob job = job_from(framework_job());
  for_some_layouts(job, 60, [&](const PlanLayout& layout) {
    const AskedLayout asked = asked_layout(job, text_of(job, layout));
    EXPECT_EQ(asked.layout, layout) << asked.words;
    EXPECT_TRUE(asked.notes.empty()) << asked.words;
  });
}

// What each framework makes of the layout, as the header says it.
std::size_t best_by_trial(const PlanJob& job, PlanLayout layout) {
  const std::size_t stated = job.clusters[layout.cluster].stated;
  std::vector<std::tuple<bool, bool, double, std::size_t>> all;
  LayoutTrials trials(job);
  for (layout.cluster = 0; layout.cluster < job.clusters.size(); ++layout.cluster) {
    if (job.clusters[layout.cluster].stated != stated || job.clusters[layout.cluster].is_bound) continue;
    const LayoutTrial trial = trials(layout);
    if (!trial.is_known()) continue;
    const Experiment experiment = trials.experiment_of(layout);
    const bool launches = !!launch_offer(experiment, experiment.schedules.front()).launch;
    all.emplace_back(trial.fits == false, !launches, trial.value, layout.cluster);
  }
  return std::get<3>(std::ranges::min(all));
}

TEST(AskedFramework, OfATextWithoutOneIsTheFastestThatFitsAndLaunches) {
  JobJson document = framework_job();
  document["clusters"][1]["frameworks"] = "any";
  const PlanJob job = job_from(document);
  std::size_t launched = 0, none = 0;
  for_some_layouts(job, 30, [&](const PlanLayout& layout) {
    const std::string place = " cluster=" + std::to_string(job.clusters[layout.cluster].stated + 1);
    const AskedLayout asked = asked_layout(job, text_without_place(job, layout) + place);
    PlanLayout expected = layout;
    expected.cluster = best_by_trial(job, layout);
    EXPECT_EQ(asked.layout, expected) << asked.words;
    EXPECT_TRUE(notes_have(asked, "it is explained under " + job.clusters[expected.cluster].framework));
    launched += notes_have(asked, "the fastest of them that can launch it");
    none += notes_have(asked, "none that could train it can launch it");
  });
  EXPECT_GT(launched, 3u);
  EXPECT_GT(none, 3u);
}

// A layout that fits stands before one that only launches.
TEST(AskedFramework, FitsIfAnyDoes) {
  JobJson document = framework_job();
  document["clusters"].erase(1);
  document["clusters"][0]["frameworks"] = {"megatron-overlapped", "nanotron"};
  const std::string text = "P=1 TP=2 zero1";
  PlanJob job = job_from(document);
  LayoutTrials trials(job);
  PlanLayout layout = asked_layout(job, text).layout;
  EXPECT_EQ(job.clusters[layout.cluster].framework, "megatron-overlapped");
  const Bytes megatron = *trials(layout).memory;
  layout.cluster = 1;
  const Bytes nanotron = *trials(layout).memory;
  ASSERT_NE(megatron, nanotron);
  const double least = std::min(megatron, nanotron).value();
  document["clusters"][0]["memory_limit_gb"] = 1e-9 * least * 1.0001;
  job = job_from(document);
  const AskedLayout tight = asked_layout(job, text);
  EXPECT_EQ(tight.layout.cluster, megatron < nanotron ? 0u : 1u);
  document["clusters"][0]["memory_limit_gb"] = 1e-9 * least * 0.9;
  EXPECT_TRUE(notes_have(asked_layout(job_from(document), text), "it fits under none"));
}

TEST(AskedFramework, IsNeverTheBound) {
  JobJson document = eight_devices();
  document["clusters"][0]["frameworks"] = "any";
  const PlanJob job = job_from(document);
  for_some_layouts(job, 20, [&](const PlanLayout& layout) {
    const AskedLayout asked = asked_layout(job, text_without_place(job, layout));
    EXPECT_FALSE(job.clusters[asked.layout.cluster].is_bound);
    EXPECT_NE(job.clusters[asked.layout.cluster].framework, "");
  });
}

TEST(AskedFramework, MayBeOneThatPricesAlike) {
  auto copy = JobJson::parse(content_of(shipped("platforms/frameworks/nemo.json")));
  copy["note"] = "another note";
  JobJson document = eight_devices();
  document["clusters"][0]["frameworks"] = {"nemo", written("same.json", copy.dump())};
  const PlanJob job = job_from(document);
  ASSERT_EQ(job.clusters.size(), 1u);
  const AskedLayout asked = asked_layout(job, "P=2 framework=same");
  EXPECT_EQ(asked.layout.cluster, 0u);
  EXPECT_EQ(asked.notes, Lines{"same prices every layout of the model as nemo does, and is planned with it"});
}

TEST(AskedFramework, ThatNoClusterHasIsRefused) {
  const PlanJob job = job_from(framework_job());
  EXPECT_EQ(wrong(job, "P=2 cluster=1 framework=torchtitan-eager"),
            Lines{"command line: --explain: expected a framework of the cluster: nanotron, "
                  "megatron-overlapped, hf-fsdp2, found \"torchtitan-eager\""});
  EXPECT_EQ(wrong(job_from(eight_devices()), "P=2 framework=nemo"),
            Lines{"command line: --explain: expected no framework, since the cluster is planned without "
                  "software, found \"nemo\""});
  const AskedLayout only = asked_layout(job, "P=2 framework=torchtitan-eager");
  EXPECT_EQ(job.clusters[only.layout.cluster].stated, 1u);
}

// A number counts the job's list, and is no part of a name: "HGX H100" has a 1.
TEST(AskedFramework, ClustersAreCountedAsTheyAreStated) {
  const PlanJob job = job_from(framework_job());
  for (const std::size_t stated : {0u, 1u}) {
    const AskedLayout asked = asked_layout(job, "P=2 cluster=" + std::to_string(stated + 1));
    EXPECT_EQ(job.clusters[asked.layout.cluster].stated, stated);
  }
  EXPECT_EQ(wrong(job, "P=2"),
            Lines{"command line: --explain: expected one of cluster=1 devices=8 (HGX H100), cluster=2 "
                  "devices=8 (HGX A100), found \"P=2\""});
  EXPECT_EQ(wrong(job, "P=2 cluster=3"),
            Lines{"command line: --explain: expected a cluster of the job: HGX H100, HGX A100, found \"3\""});
}

std::string written_plan(const PlanJob& job, const PlanLayout& layout) {
  LayoutTrials trials(job);
  const Experiment experiment = trials.experiment_of(layout);
  return written("plan.json", experiment_text(job, layout, experiment.schedules.front()));
}

// Under each of its frameworks a written plan is the plan, and nothing is replaced.
TEST(AskedFramework, OfAWrittenPlanIsItsOwn) {
  JobJson document = framework_job();
  document["clusters"][0]["frameworks"] = "any";
  const PlanJob job = job_from(document);
  for_some_layouts(job, 30, [&](PlanLayout layout) {
    if (job.clusters[layout.cluster].is_bound) return;
    const AskedLayout asked = asked_layout(job, written_plan(job, layout));
    layout.schedule = asked.layout.schedule;  // of schedules with equal stages it is the first
    EXPECT_EQ(asked.layout, layout) << text_of(job, layout);
    EXPECT_TRUE(asked.lists_schedule);
    EXPECT_EQ(asked.notes, Lines());
  });
}

TEST(AskedFramework, OfAnExperimentThatTheClusterLacksIsSaid) {
  JobJson document = framework_job();
  const PlanJob job = job_from(document);
  PlanLayout layout = legal_layouts(job).back();
  layout.cluster = 0;
  auto experiment = JobJson::parse(content_of(written_plan(job, layout)));
  experiment["framework"] = "nemo";
  const std::string file = written("own.json", experiment.dump());
  EXPECT_TRUE(notes_have(asked_layout(job, file), "which the cluster does not have; of 3 frameworks on "));
  document["clusters"][0]["frameworks"] = {"nanotron"};
  EXPECT_TRUE(notes_have(asked_layout(job_from(document), file), "; the job's is used: nanotron"));
  experiment.erase("framework");
  EXPECT_TRUE(notes_have(asked_layout(job, written("own.json", experiment.dump())), "its framework is none"));
}

// The same name with other values.
TEST(AskedFramework, OfAnExperimentThatIsStatedOtherwiseIsSaid) {
  const PlanJob job = job_from(framework_job());
  PlanLayout layout = legal_layouts(job).front();
  layout.cluster = 1;
  auto experiment = JobJson::parse(content_of(written_plan(job, layout)));
  experiment["framework_set"] = {{"/step_end/norms/value", 7}};
  const AskedLayout asked = asked_layout(job, written("own.json", experiment.dump()));
  EXPECT_EQ(asked.layout.cluster, layout.cluster);
  EXPECT_TRUE(notes_have(asked, "is stated with other values; the job's are used"));
}

// On one cluster the framework is a change of its own; another cluster has its own frameworks.
TEST(AskedFramework, IsAChangeOfItsOwn) {
  JobJson document = framework_job();
  document["clusters"][0]["devices"] = {4, 8};
  const PlanJob job = job_from(document);
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  std::size_t frameworks = 0, clusters = 0;
  for (std::size_t i = 0; i < layouts.size(); i += 7) {
    const PlanLayout &from = layouts[i], &to = layouts[(i * 31 + 5) % layouts.size()];
    const JobCluster &own = job.clusters[from.cluster], &other = job.clusters[to.cluster];
    for (const LayoutChange& change : changes_towards(job, from, to, from.schedule)) {
      const bool moves = change.layout.cluster != from.cluster;
      EXPECT_EQ(change.key == "framework", moves && own.stated == other.stated) << to_string(change);
      EXPECT_TRUE(change.key == "devices" || change.layout.devices == from.devices) << to_string(change);
      EXPECT_EQ(change.layout.cluster, moves ? to.cluster : from.cluster) << to_string(change);
      frameworks += change.key == "framework";
      clusters += moves && change.key == "devices";
    }
  }
  EXPECT_GT(frameworks, 5u);
  EXPECT_GT(clusters, 5u);
}

}  // namespace
}  // namespace spillway
