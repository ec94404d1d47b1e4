// The causes that are tried against the list that docs/explain.md publishes.
#include "explain/gap_causes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "explained_jobs.h"
#include "json/document.h"
#include "published_causes.h"

namespace spillway {
namespace {

std::vector<GapCause> causes_of(const JobJson& job) {
  Findings findings("job.json");
  return gap_causes(read_job(job, {}), *parse_json(job.dump(), findings), RankId(0));
}

JobJson text_job() {
  JobJson job = priced_job();
  job["pipeline"]["replicas"] = 2;
  return job;
}

JobJson experts_job() {
  JobJson job = text_job();
  job["parallel"] = {{"tensor", 1}, {"expert", 2}, {"data", "zero3"}};
  job["model"]["blocks"][0]["architecture"] = shipped("workloads/models/qwen3-30b-a3b/config.json");
  return job;
}

JobJson images_job(const char* packing) {
  JobJson job = text_job();
  job["platform"] = shipped("platforms/hgx-h100.json");
  const std::string model = shipped("workloads/models/qwen2-vl-2b/config.json");
  job["model"]["blocks"] = {{{"name", "enc"}, {"role", "encoder"}, {"architecture", model}},
                            {{"name", "llm"}, {"role", "backbone"}, {"architecture", model}}};
  job["workload"] = {{"trace", shipped("workloads/traces/coco_val2017.csv")},
                     {"images_per_sample", shipped("workloads/traces/servegen_images_per_request.csv")},
                     {"text_tokens", shipped("workloads/traces/servegen_text_tokens.csv")},
                     {"packing", packing}};
  job["schedules"][0]["split"] = "balanced";
  return job;
}

JobJson with_framework(JobJson job, const char* framework) {
  job["platform"] = shipped("platforms/hgx-h100.json");
  job["framework"] = framework;
  return job;
}

// "/framework_set/~1hidden~1data" and "/model/blocks/1/recompute" as the page writes them.
std::string published_key(std::string pointer) {
  for (std::size_t at; (at = pointer.find("~1")) != std::string::npos;) pointer.replace(at, 2, "/");
  for (const auto& [from, to] : std::map<std::string, std::string>{{"/framework_set/", "/framework"},
                                                                   {"/model/blocks/0", "/model/blocks/N"},
                                                                   {"/model/blocks/1", "/model/blocks/N"}})
    if (pointer.starts_with(from)) pointer = to + pointer.substr(from.size());
  return pointer.starts_with("/what_if/port_speed/") || pointer == "/what_if/link_speed"
             ? "/what_if/port_speed"
             : pointer;
}

std::set<std::string> keys_of(const std::vector<GapCause>& causes) {
  std::set<std::string> keys;
  for (const GapCause& cause : causes)
    for (const Setting& setting : cause.scale ? cause.at(cause.scale->slower) : cause.settings)
      keys.insert(published_key(setting.pointer));
  return keys;
}

std::vector<JobJson> jobs_with_all_causes() {
  return {text_job(),
          experts_job(),
          images_job("packed"),
          images_job("unpacked"),
          with_framework(text_job(), "megatron-eager"),
          with_framework(text_job(), "megatron-bridge-graphs")};
}

TEST(GapCauses, HaveEveryKeyThatThePageLists) {
  std::set<std::string> tried;
  for (const JobJson& job : jobs_with_all_causes()) tried.merge(keys_of(causes_of(job)));
  ASSERT_GE(published_causes().size(), 15u);
  for (const PublishedCause& cause : published_causes()) EXPECT_TRUE(tried.contains(cause.key)) << cause.key;
}

TEST(GapCauses, HaveTheNumbersThatThePageLists) {
  std::map<std::string, std::set<double>> tried, listed;
  for (const GapCause& cause : causes_of(experts_job()))
    if (cause.scale)
      tried[published_key(cause.at(cause.scale->slower).front().pointer)].insert(
          cause.scale->published.begin(), cause.scale->published.end());
  for (const PublishedCause& cause : published_causes())
    if (tried.contains(cause.key))
      for (const std::string& value : cause.values) listed[cause.key].insert(std::stod(value));
  tried["/parallel/expert_imbalance"] = {1.3, 4};  // two devices share experts here, so it is at most 2
  EXPECT_EQ(tried, listed);
}

std::vector<Setting> settings_of(const JobJson& job, const std::string& pointer) {
  for (const GapCause& cause : causes_of(job))
    for (const Setting& setting : cause.settings)
      if (setting.pointer == pointer) return cause.settings;
  return {};
}

// What the experiment states may forbid the setting alone.
TEST(GapCauses, AreReadWhereTheExperimentStatesTheLengthOrTheSoftware) {
  JobJson packed = images_job("packed");
  packed["workload"]["sequence_tokens"] = 4096;
  const std::vector<Setting> unpacked = settings_of(packed, "/workload/packing");
  ASSERT_EQ(unpacked.size(), 3u);
  EXPECT_NO_THROW(read_job(packed, unpacked));
  const JobJson overlapped = with_framework(text_job(), "megatron-overlapped");
  const std::vector<Setting> exposed = settings_of(overlapped, "/framework_set/~1hidden~1gradients");
  ASSERT_FALSE(exposed.empty());
  EXPECT_NO_THROW(read_job(overlapped, exposed));
}

TEST(GapCauses, TryAStragglerOnEveryRankOfAFew) {
  const auto stragglers = [](std::uint32_t ranks) {
    JobJson job = text_job();
    job["pipeline"]["ranks"] = ranks;
    job["model"]["blocks"][0]["layers"] = ranks;
    const auto causes = causes_of(job);
    return std::ranges::count_if(
        causes, [](const GapCause& cause) { return cause.words.starts_with("a straggler"); });
  };
  EXPECT_EQ(stragglers(1), 0);
  EXPECT_EQ(stragglers(4), 4);
  EXPECT_LE(stragglers(32), 9);
}

TEST(GapCauses, OfGivenDurationsAreThoseThatNeedNoPlatform) {
  EXPECT_EQ(keys_of(causes_of(given_job())),
            (std::set<std::string>{"/what_if/compute_speed", "/what_if/port_speed", "/what_if/straggler",
                                   "/what_if/between_steps_ms"}));
}

double plausibility_of(const JobJson& job, const std::string& pointer, const std::string& value) {
  for (const GapCause& cause : causes_of(job))
    for (const Setting& setting : cause.settings)
      if (setting.pointer == pointer && setting.value == value) return cause.plausibility;
  return 0;
}

TEST(GapCauses, AreLessPlausibleWhereTheExperimentStatesOtherwise) {
  const std::string recompute = "/model/blocks/0/recompute";
  EXPECT_EQ(plausibility_of(text_job(), recompute, "full"), kOpenPlausibility);
  JobJson job = text_job();
  job["model"]["blocks"][0]["recompute"] = "none";
  EXPECT_EQ(plausibility_of(job, recompute, "full"), kStatedPlausibility);
}

TEST(GapCauses, TakeVariantsOfTheStatedSoftwareAsMorePlausibleThanOthers) {
  JobJson job = text_job();
  job["platform"] = shipped("platforms/hgx-h100.json");
  EXPECT_EQ(plausibility_of(job, "/framework", "nemo"), kOpenPlausibility);
  job["framework"] = "megatron-overlapped";
  EXPECT_EQ(plausibility_of(job, "/framework", "nemo"), kStatedPlausibility);
  EXPECT_EQ(plausibility_of(job, "/framework", "megatron-eager"), kBetweenPlausibility);
  EXPECT_EQ(plausibility_of(job, "/framework", "megatron-overlapped"), 0) << "it is the stated one";
}

}  // namespace
}  // namespace spillway
