// What an experiment states beside its layout: the job's is used, and the user is told.
#include "ask/replaced_terms.h"

#include <gtest/gtest.h>

#include <functional>

#include "asked_jobs.h"

namespace spillway {
namespace {

JobJson written_plan(const PlanJob& job) {
  const PlanLayout layout = asked_layout(job, "P=2 TP=2 zero1").layout;
  LayoutTrials trials(job);
  return JobJson::parse(experiment_text(job, layout, trials.experiment_of(layout).schedules.front()));
}

Lines notes_with(const PlanJob& job, const std::function<void(JobJson&)>& change) {
  JobJson document = written_plan(job);
  change(document);
  return asked_layout(job, written("own.json", document.dump())).notes;
}

TEST(ReplacedTerms, AreNoneOfAWrittenPlan) {
  EXPECT_EQ(notes_with(job_from(eight_devices()), [](JobJson&) {}), Lines());
}

TEST(ReplacedTerms, AreNamedInOneNote) {
  const PlanJob job = job_from(eight_devices());
  EXPECT_EQ(notes_with(job,
                       [](JobJson& own) {
                         own["what_if"] = {{"compute_speed", 2}};
                         own["parallel"]["sequence_parallel"] = false;
                       }),
            Lines{"the job's what_if, parallel/sequence_parallel are used, not the experiment's"});
  EXPECT_EQ(notes_with(job,
                       [](JobJson& own) {
                         own["network"] = {{"p2p", "blocking"}};
                       }),
            Lines{"the job's network is used, not the experiment's"});
  EXPECT_EQ(notes_with(job, [](JobJson& own) { own["model"]["blocks"][0]["fp8"] = "mxfp8"; }),
            Lines{"the job's model is used, not the experiment's"});
}

// The same platform under another path is the same; other numbers under its name are not.
TEST(ReplacedTerms, ComparePlatformsByTheirNumbers) {
  const PlanJob job = job_from(eight_devices());
  auto platform = JobJson::parse(content_of(shipped("platforms/hgx-h100.json")));
  EXPECT_EQ(notes_with(job, [&](JobJson& own) { own["platform"] = shipped("platforms/hgx-h100.json"); }),
            Lines());
  platform["accelerator"].erase("operators");  // their files are beside the shipped one
  EXPECT_EQ(notes_with(job, [&](JobJson& own) { own["platform"] = platform; }),
            Lines{"the job's platform is used, not the experiment's"});
}

}  // namespace
}  // namespace spillway
