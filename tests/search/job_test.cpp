// Invalid jobs, and the exact message of each.
#include "search/job.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "search/layout.h"
#include "small_jobs.h"

namespace spillway {
namespace {

Lines wrong_with(const JobJson& document) {
  return complaints([&] { job_from(document); });
}

TEST(PlanJob, IsRead) {
  const PlanJob job = job_from(text_job());
  EXPECT_EQ(job.clusters[0].devices, (std::vector<std::uint32_t>{8, 16}));
  EXPECT_EQ(job.batch, 16u);
  EXPECT_EQ(job.objective, Objective::Usd);
  EXPECT_EQ(job.draws, 8u);
  EXPECT_EQ(job.replay, 3u);
  EXPECT_EQ(job.search.schedules.size(), 7u);
  EXPECT_EQ(job.search.schedules.back().split, StageSplit::ByCount);
}

TEST(PlanJob, DevicesMayFollowARule) {
  JobJson job = text_job();
  job["clusters"][0]["devices"] = {{"from", 8}, {"to", 70}};
  EXPECT_EQ(job_from(job).clusters[0].devices, (std::vector<std::uint32_t>{8, 16, 32, 64}));
}

TEST(PlanJob, WithoutAPriceIsRankedByTime) {
  JobJson job = text_job();
  job["clusters"][0]["platform"] = shipped("platforms/cloudmatrix384.json");
  EXPECT_EQ(job_from(job).objective, Objective::Time);
  job["clusters"][0]["price_per_device_hour_usd"] = 2;
  EXPECT_EQ(job_from(job).objective, Objective::Usd);
}

TEST(PlanJob, EveryViolationIsListed) {
  JobJson job = text_job();
  job["batch"] = {{"samples", 16}};
  job["workload"]["sequences_per_microbatch"] = 2;
  job["parallel"] = {{"tensor", 2}};
  job["search"]["schedules"] = {"2f2b"};
  job["search"]["recompute"] = {"some"};
  job["limits"] = {{"days", 0}};
  job["clusters"][0]["devices"] = {0};
  job["colour"] = "red";
  const Lines found = wrong_with(job);
  const auto has = [&](const std::string& begin) {
    return std::ranges::any_of(found, [&](const std::string& line) { return line.starts_with(begin); });
  };
  for (const char* pointer : {"/colour", "/batch/samples", "/batch/sequences",
                              "/workload/sequences_per_microbatch", "/parallel/tensor", "/search/schedules/0",
                              "/search/recompute/0", "/limits/days", "/clusters/0/devices/0"})
    EXPECT_TRUE(has(std::string("job.json: ") + pointer + ": expected")) << pointer;
}

TEST(PlanJob, IsWrongWhereTheExperimentWouldBe) {
  JobJson job = text_job();
  job["model"]["blocks"][0]["architecture"] = "gone.json";
  const Lines model = wrong_with(job);
  ASSERT_EQ(model.size(), 1u);
  EXPECT_TRUE(model[0].starts_with("job.json: /model/blocks/0/architecture: expected a readable file"))
      << model[0];
  job = text_job();
  job["clusters"][0]["platform"] = "gone.json";
  const Lines platform = wrong_with(job);
  ASSERT_EQ(platform.size(), 1u);
  EXPECT_TRUE(platform[0].starts_with("job.json: /clusters/0/platform: expected a readable file"))
      << platform[0];
}

TEST(PlanJob, TakesNoMoreDevicesThanThereAre) {
  JobJson job = text_job();
  job["clusters"][0]["devices"] = {8, 200000};
  EXPECT_EQ(wrong_with(job),
            Lines{"job.json: /clusters/0/devices: expected at most the 131072 devices of HGX "
                  "H100, found 200000"});
}

TEST(PlanJob, CutsAreOfItsModel) {
  JobJson job = text_job();
  job["search"]["schedules"] = {"1f1b",
                                {{"schedule", "1f1b,1f1b"}, {"cut", {9}}},
                                {{"schedule", "1f1b,1f1b"}, {"cut", {1, 2}}},
                                {{"schedule", "1f1b,1f1b"}, {"cut", {2}}}};
  const Lines found = wrong_with(job);
  ASSERT_EQ(found.size(), 2u) << found[0];
  EXPECT_TRUE(found[0].starts_with("job.json: /search/schedules/1/cut")) << found[0];
  EXPECT_TRUE(found[1].starts_with("job.json: /search/schedules/2/cut")) << found[1];
  JobJson images = image_job();
  images["search"]["schedules"] = {"transpose,1f1b,1f1b"};
  EXPECT_EQ(wrong_with(images),
            Lines{"job.json: /search/schedules/0: expected 2 layer boundaries as its cut, since 3 regions "
                  "cannot be cut by default from 2 blocks, found transpose,1f1b,1f1b"});
}

TEST(PlanJob, SystemsAreAsInAnExperiment) {
  JobJson job = image_job();
  job["search"]["schedules"] = {{{"system", "optimus"}, {"encoder_ranks", 2}},
                                {{"system", "dip"}},
                                {{"system", "megatron"}, {"body", "zb-h1"}},
                                {{"system", "disttrain"}, {"encoder_ranks", 9}},
                                {{"system", "optimus"}}};
  const Lines found = wrong_with(job);
  ASSERT_GE(found.size(), 2u);
  EXPECT_TRUE(found[0].starts_with("job.json: /search/schedules/0/encoder_ranks: expected no such key"))
      << found[0];
  EXPECT_EQ(
      found[1],
      "job.json: /search/schedules/1/system: expected a system whose steps have a lower bound, found dip: "
      "its order is searched for each draw, so the memory it holds is not known in advance");
  for (int entry = 0; entry < 2; ++entry) job["search"]["schedules"].erase(0);
  const Lines laid = wrong_with(job);
  ASSERT_EQ(laid.size(), 2u) << laid[0];
  EXPECT_TRUE(laid[0].starts_with("job.json: /search/schedules/0/body: expected 1f1b")) << laid[0];
  EXPECT_TRUE(laid[1].starts_with("job.json: /search/schedules/1/encoder_ranks: expected")) << laid[1];
  JobJson text = text_job();
  text["search"]["schedules"] = {{{"system", "optimus"}}};
  EXPECT_TRUE(wrong_with(text).at(0).starts_with(
      "job.json: /search/schedules/0/system: expected a model whose first blocks are an encoder"));
}

TEST(PlanJob, IsKnownByAllThatItsPlansDependOn) {
  const JobJson job = text_job();
  JobJson other = job;
  other["batch"]["sequences"] = 32;
  EXPECT_EQ(job_from(job).identity, job_from(job).identity);
  EXPECT_EQ(job_from(job).identity.size(), 32u);
  EXPECT_NE(job_from(job).identity, job_from(other).identity);
}

TEST(PlanJob, AModelMayBeNone) {
  for (const char* model : {"{}", R"({ "blocks": 7 })", R"({ "blocks": [ 7 ] })"}) {
    JobJson job = text_job();
    job["model"] = JobJson::parse(model);
    const Lines found = wrong_with(job);
    ASSERT_FALSE(found.empty());
    EXPECT_TRUE(found[0].starts_with("job.json: /model/blocks")) << found[0];
  }
}

TEST(PlanJob, APriceIsWrongOnce) {
  JobJson job = text_job();
  job["clusters"][0]["price_per_device_hour_usd"] = "cheap";
  EXPECT_EQ(wrong_with(job),
            Lines{"job.json: /clusters/0/price_per_device_hour_usd: expected a number above 0, "
                  "found \"cheap\""});
}

TEST(PlanJob, LimitsNeedWhatTheyAreOf) {
  JobJson job = text_job();
  job.erase("tokens");
  job["limits"] = {{"days", 3}};
  EXPECT_EQ(wrong_with(job), Lines{"job.json: /tokens: expected the tokens of the training, which limits of "
                                   "days and USD need, found none"});
  job = text_job();
  job["limits"] = {{"budget_usd", 3}};
  job["clusters"][0]["platform"] = shipped("platforms/cloudmatrix384.json");
  EXPECT_EQ(
      wrong_with(job),
      Lines{"job.json: /clusters: expected a price of every cluster, which a budget needs, found none"});
  job["limits"] = JobJson::object();
  job["objective"] = "usd";
  EXPECT_EQ(wrong_with(job), Lines{"job.json: /clusters: expected a price of every cluster, which the "
                                   "objective usd needs, found none"});
}

TEST(PlanJob, AnotherKindOfDocumentIsKnown) {
  const Lines found = complaints([] { read_plan_job(shipped("workloads/experiments/small.json")); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("an experiment"), std::string::npos);
}

// A legal layout divides the devices, heads, layers and sequences.
TEST(PlanLayouts, AreThoseThatDivide) {
  JobJson document = text_job();
  document["search"]["schedules"] = {"1f1b"};
  document["search"]["recompute"] = {"none"};
  document["search"]["data"] = {"zero1"};
  const PlanJob job = job_from(document);
  std::size_t by_hand = 0;
  for (const std::uint32_t devices : {8u, 16u})
    for (std::uint32_t ranks = 1; ranks <= 4; ++ranks)        // of 4 layers
      for (std::uint32_t tensor = 1; tensor <= 32; ++tensor)  // of 32 heads
        for (std::uint32_t context = 1; context <= devices; ++context) {
          const std::uint32_t members = ranks * tensor * context;
          if (devices % members != 0 || 32 % tensor != 0) continue;
          const std::uint32_t replicas = devices / members;
          if (16 % replicas != 0) continue;
          for (std::uint32_t size = 1; size <= 16 / replicas; ++size) by_hand += (16 / replicas) % size == 0;
        }
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  EXPECT_EQ(layouts.size(), by_hand);
  for (const PlanLayout& one : layouts) {
    EXPECT_EQ(one.ranks * one.tensor * one.context * one.replicas, one.devices);
    EXPECT_EQ(one.replicas * one.microbatches * one.microbatch, 16u);
  }
}

std::string refusal_of(const PlanJob& job, std::size_t most) {
  try {
    legal_layouts(job, most);
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

std::string text_with(std::size_t number, const std::string& words) {
  return words + std::to_string(number);
}

TEST(PlanLayouts, TooManyNameTheListToNarrow) {
  JobJson document = text_job();
  document["search"] = {{"tensor", {1}},    {"context", {1}},        {"expert", {1}},
                        {"ranks", {1, 2}},  {"schedules", {"1f1b"}}, {"recompute", {"none"}},
                        {"data", {"zero1"}}};
  const PlanJob job = job_from(document);
  const std::size_t all = legal_layouts(job).size();
  EXPECT_EQ(refusal_of(job, all), "taken");
  const std::string refusal = refusal_of(job, all - 1);
  EXPECT_NE(refusal.find("/search/microbatch_sequences: expected fewer values"), std::string::npos)
      << refusal;
  EXPECT_NE(refusal.find(text_with(all, "since the lists make ")), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("found no list, so 1, 2, 4"), std::string::npos) << refusal;
}

// The number of layouts that it promises is the number with the narrowed list, for any limit.
TEST(PlanLayouts, OfTheNarrowedListAreAsManyAsPromised) {
  const JobJson document = text_job();
  const PlanJob job = job_from(document);
  const std::size_t all = legal_layouts(job).size();
  for (const std::size_t most : {all - 1, all / 2, all / 3, all / 5}) {
    const std::string refusal = refusal_of(job, most);
    const std::size_t list = refusal.find("/search/") + 8, values = refusal.find("with ") + 5,
                      promised = refusal.find(" they make ") + 11;
    ASSERT_LT(promised, refusal.size()) << refusal;
    JobJson narrowed = document;
    JobJson& kept = narrowed["search"][refusal.substr(list, refusal.find(':', list) - list)];
    kept = JobJson::array();
    std::istringstream words(refusal.substr(values, promised - 11 - values));
    for (std::string word; std::getline(words >> std::ws, word, ',');)
      kept.push_back(std::isdigit(word[0]) && word.find('f') == std::string::npos ? JobJson(std::stoi(word))
                                                                                  : JobJson(word));
    EXPECT_EQ(std::to_string(legal_layouts(job_from(narrowed)).size()),
              refusal.substr(promised, refusal.find(',', promised) - promised))
        << refusal;
  }
}

// Each recomputation is counted once with each sharding.
TEST(PlanLayouts, AreNarrowedToRecomputationsToo) {
  JobJson document = text_job();
  document["clusters"][0]["devices"] = {8};
  document["search"] = {{"tensor", {1}},         {"context", {1}},
                        {"expert", {1}},         {"ranks", {2}},
                        {"data", {"zero1"}},     {"microbatch_sequences", {1}},
                        {"schedules", {"1f1b"}}, {"recompute", {"none", "selective", "full"}}};
  const std::string refusal = refusal_of(job_from(document), 2);
  EXPECT_NE(
      refusal.find("/search/recompute: expected fewer values, since the lists make 3 layouts, more than 2: "
                   "with none, selective they make 2, found none, selective, full"),
      std::string::npos)
      << refusal;
}

TEST(PlanLayouts, ThatOneListCannotNarrowSaySo) {
  const std::string refusal = refusal_of(job_from(text_job()), 1);
  EXPECT_NE(refusal.find(" alone makes "), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("another list must be narrowed, too"), std::string::npos) << refusal;
}

// Of the usual schedules, many chunks are searched where stages have as many layers each.
TEST(PlanLayouts, HaveManyChunksWhereStagesAreEven) {
  JobJson document = text_job();
  document["model"]["blocks"][0]["layers"] = 14;
  document["search"] = {{"tensor", {1}}};
  const PlanJob job = job_from(document);
  std::set<std::pair<std::uint32_t, std::size_t>> found;  // ranks and chunks
  for (const PlanLayout& layout : legal_layouts(job))
    if (layout.ranks > 1)
      found.emplace(layout.ranks, job.search.schedules[layout.schedule].schedule.skeletons.size());
  const std::set<std::pair<std::uint32_t, std::size_t>> by_hand = {{2, 1}, {2, 2}, {2, 4}, {2, 7},
                                                                   {4, 1}, {4, 2}, {8, 1}};
  EXPECT_EQ(found, by_hand);
}

TEST(PlanLayouts, OfABlockThatStatesItsRecomputationKeepIt) {
  JobJson document = text_job();
  document["model"]["blocks"][0]["recompute"] = "selective";
  const PlanJob job = job_from(document);
  const Experiment experiment = experiment_of(job, legal_layouts(job).front());
  EXPECT_EQ(std::get<AnalyticExperiment>(experiment.costs).costs.blocks[0].recompute, Recompute::Selective);
}

// Experiments refuse schedules that compute images elsewhere beside audio, so no plan is one.
TEST(PlanJobs, AudioStaysWhereItWasDrawn) {
  const auto omni = [](const std::string& search) {
    return read_plan_job(Source("omni.json", R"({ "schema": "spillway/plan/1", "name": "omni",
      "model": { "blocks": [
        { "name": "vision", "role": "encoder", "feeds": "llm", "architecture": "qwen2.5-vl-7b" },
        { "name": "audio", "role": "encoder", "architecture": "qwen2.5-omni-audio" },
        { "name": "llm", "role": "backbone", "architecture": "qwen2.5-vl-7b" } ] },
      "workload": { "trace": "servegen_image_tokens", "images_per_sample": 1, "text_tokens": 100,
        "audio": { "trace": "activitynet_audio", "clips_per_sample": 1 },
        "packing": "packed", "sequence_tokens": 8192 },
      "batch": { "sequences": 64 },
      "clusters": [ { "platform": "hgx-h100", "devices": [16], "frameworks": "none" } ])" +
                                                 search + "}"));
  };
  const PlanJob job = omni("");
  EXPECT_FALSE(job.search.schedules.empty());
  EXPECT_TRUE(std::ranges::none_of(job.search.schedules, &ScheduleChoice::moves_samples));
  EXPECT_EQ(complaints([&] { omni(R"(, "search": { "schedules": [ { "system": "encode-first" } ] })"); }),
            Lines{"omni.json: /search/schedules/0: expected a schedule that computes audio where it was "
                  "drawn, found \"encode-first\""});
}

}  // namespace
}  // namespace spillway
