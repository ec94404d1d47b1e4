// What would make a layout fit: the other frameworks of its cluster.
#include <gtest/gtest.h>

#include <algorithm>

#include "asked_jobs.h"
#include "support/schema_check.h"

namespace spillway {
namespace {

// A layout that fits under one of two frameworks, and under the other needs the least byte more than there
// is.
struct TightJob {
  JobJson document = eight_devices();
  std::string roomy, tight;

  TightJob() {
    document["clusters"][0]["frameworks"] = {"megatron-overlapped", "nanotron"};
    const PlanJob job = job_from(document);
    LayoutTrials trials(job);
    PlanLayout layout = asked_layout(job, "P=1 TP=2 zero1 framework=nanotron").layout;
    const Bytes nanotron = *trials(layout).memory;
    layout.cluster = 1 - layout.cluster;
    const Bytes megatron = *trials(layout).memory;
    roomy = megatron < nanotron ? "megatron-overlapped" : "nanotron";
    tight = megatron < nanotron ? "nanotron" : "megatron-overlapped";
    document["clusters"][0]["memory_limit_gb"] = 0.5e-9 * (megatron + nanotron).value();
  }

  std::string layout() const { return "P=1 TP=2 zero1 framework=" + tight; }
};

std::vector<TriedLayout> frameworks_of(const MisfitAccount& misfit) {
  std::vector<TriedLayout> all = misfit.changes;
  std::erase_if(all, [](const TriedLayout& one) { return one.change.key != "framework"; });
  return all;
}

TEST(Misfit, SaysUnderWhichFrameworkItFits) {
  const TightJob job;
  const Explained one = explained_in(job_from(job.document), job.layout());
  ASSERT_EQ(one.explained.fate, LayoutFate::DoesNotFit);
  const auto frameworks = frameworks_of(one.explained.misfit);
  ASSERT_EQ(frameworks.size(), 1u);
  EXPECT_EQ(frameworks[0].change.to, job.roomy);
  EXPECT_EQ(frameworks[0].trial.fits, true);
  const std::string text = on_one_line(one.text());
  EXPECT_NE(text.find("other frameworks: it fits under " + job.roomy), std::string::npos) << text;
  EXPECT_NE(text.find("framework " + job.roomy + " instead of " + job.tight), std::string::npos) << text;
  EXPECT_EQ(text.find("no single one"), std::string::npos) << text;
  EXPECT_EQ(testing::SchemaCheck("layout-explanation").complaints(one.json()), "");
}

// The job may be narrowed to a framework; the way out may be another.
TEST(Misfit, TriesFrameworksToWhichTheJobIsNotNarrowed) {
  const TightJob job;
  const PlanJob narrowed = read_plan_job(written("job.json", job.document.dump()), job.tight);
  const Explained one = explained_in(narrowed, job.layout());
  ASSERT_EQ(one.explained.fate, LayoutFate::DoesNotFit);
  const auto frameworks = frameworks_of(one.explained.misfit);
  ASSERT_EQ(frameworks.size(), 1u);
  EXPECT_EQ(frameworks[0].change.to, job.roomy);
  EXPECT_EQ(frameworks[0].trial.fits, true);
  EXPECT_EQ(testing::SchemaCheck("layout-explanation").complaints(one.json()), "");
  for (const EvaluatedPlan& plan : one.result.plans)
    EXPECT_EQ(narrowed.clusters[plan.layout.cluster].framework, job.tight);
}

// Each framework once, with what it needs or why it cannot train the layout; ideal software is none.
TEST(Misfit, ListsTheFrameworksThatDoNotHelp) {
  JobJson document = eight_devices();
  document["clusters"][0]["frameworks"] = "any";
  document["clusters"][0]["memory_limit_gb"] = 0.5;
  const PlanJob job = job_from(document);
  const Explained one = explained_in(job, "P=2 TP=2 zero1 framework=megatron-overlapped");
  ASSERT_EQ(one.explained.fate, LayoutFate::DoesNotFit);
  std::vector<std::string> expected, found;
  for (const JobCluster& cluster : job.clusters)
    if (!cluster.is_bound && cluster.framework != "megatron-overlapped")
      expected.push_back(cluster.framework);
  const auto frameworks = frameworks_of(one.explained.misfit);
  for (const TriedLayout& tried : frameworks) found.push_back(tried.change.to);
  std::ranges::sort(expected);
  std::ranges::sort(found);
  EXPECT_EQ(found, expected);
  EXPECT_FALSE(std::ranges::any_of(frameworks, [](const auto& tried) { return tried.trial.fits == true; }));
  const std::string text = on_one_line(one.text());
  EXPECT_NE(text.find("other frameworks: it fits under none of them: "), std::string::npos) << text;
  EXPECT_NE(text.find("hf-fsdp2 (P: expected 1"), std::string::npos) << text;
  EXPECT_NE(text.find("no single one of these changes makes it fit"), std::string::npos) << text;
}

}  // namespace
}  // namespace spillway
