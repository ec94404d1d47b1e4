// The search against an evaluation of every layout.
#include "search/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "evaluate/memory_limit.h"
#include "from_scratch.h"
#include "input/experiment/experiment.h"
#include "search/known_error.h"
#include "search/plan_choice.h"
#include "small_jobs.h"
#include "support/known_files.h"
#include "support/long_property.h"

namespace spillway {
namespace {

struct Brute {
  PlanLayout layout;
  double value;
};

// Returns every layout that fits, the best first, by the loop that users would write.
std::vector<Brute> brute_force(const PlanJob& job, const std::vector<PlanLayout>& layouts,
                               FromScratch& evaluator) {
  std::vector<Brute> all;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const PointOutcome& outcome = evaluator(i);
    if (!outcome.refusal.empty()) continue;
    const JobCluster& cluster = job.clusters[layouts[i].cluster];
    const double may = cluster.base.memory_limit ? 1 : 1 - job.limits.memory_headroom;
    if (fits(outcome.schedules[0].peak_memory, *outcome.memory_limit * may) == false) continue;
    const Platform& platform = cluster.platform();
    const double devices = layouts[i].devices;
    const Seconds step = mean(outcome.schedules[0]);
    all.push_back({layouts[i], job.objective == Objective::Usd
                                   ? (step * platform.price->value).value() * devices
                                   : step.value()});
  }
  std::ranges::sort(all, [](const Brute& a, const Brute& b) {
    return std::pair(a.value, a.layout) < std::pair(b.value, b.layout);
  });
  return all;
}

// The search must find the best on each number of a cluster's devices and all that tie with it, or say why
// there is none.
void expect_best_on_devices(const PlanJob& job, const std::vector<Brute>& all, const SearchResult& found) {
  for (std::size_t cluster = 0; cluster < job.clusters.size(); ++cluster) {
    if (!is_first_as_stated(job, job.clusters[cluster])) continue;
    for (const std::uint32_t devices : job.clusters[cluster].devices) {
      const auto is_of = [&](const PlanLayout& layout) {
        return job.clusters[layout.cluster].stated == job.clusters[cluster].stated &&
               layout.devices == devices;
      };
      const auto best = std::ranges::find_if(all, is_of, &Brute::layout);
      const auto plan = std::ranges::find_if(found.plans, is_of, &EvaluatedPlan::layout);
      const bool none = std::ranges::any_of(found.without, [&](const WithoutPlan& one) {
        return one.cluster == cluster && one.devices == devices;
      });
      ASSERT_EQ(best == all.end(), none);
      ASSERT_EQ(best == all.end(), plan == found.plans.end());
      if (best == all.end()) continue;
      EXPECT_EQ(plan->layout, best->layout);
      EXPECT_EQ(plan->value, best->value);
      const double most = best->value * (1 + margin(job, job.clusters[cluster], job.clusters[cluster]));
      const auto ties = [&](const auto& one) { return is_of(one.layout) && one.value <= most; };
      EXPECT_EQ(std::ranges::count_if(found.plans, ties), std::ranges::count_if(all, ties));
    }
  }
}

// And the best of each framework.
void expect_best_of_frameworks(const std::vector<Brute>& all, const SearchResult& found) {
  for (const FrameworkAnswer& answer : found.answers) {
    const auto best =
        std::ranges::find(all, answer.cluster, [](const Brute& one) { return one.layout.cluster; });
    ASSERT_EQ(best == all.end(), !answer.best);
    if (!answer.best) continue;
    EXPECT_EQ(answer.best->layout, best->layout);
    EXPECT_EQ(answer.best->value, best->value);
  }
}

// Every plan of a choice that ties with its best must be found, and in order.
void expect_choice(const PlanJob& job, const std::vector<Brute>& all, const SearchResult& found,
                   const PlanLayout& choice) {
  const PlanChoices choices(job);
  const auto is_of = [&](const PlanLayout& layout) { return choices.of(layout) == choice; };
  const JobCluster& cluster = job.clusters[choice.cluster];
  std::vector<Brute> expected, plans;
  for (const Brute& one : all)
    if (is_of(one.layout) &&
        (expected.empty() || one.value <= expected.front().value * (1 + margin(job, cluster, cluster))))
      expected.push_back(one);
  for (const EvaluatedPlan& plan : found.plans)
    if (is_of(plan.layout)) plans.push_back({plan.layout, plan.value});
  ASSERT_GE(plans.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(plans[i].layout, expected[i].layout) << i;
    EXPECT_EQ(plans[i].value, expected[i].value) << i;
  }
}

// The first five choices, by the loop that users would write.
std::vector<PlanLayout> first_choices(const PlanJob& job, const std::vector<Brute>& all) {
  const PlanChoices choices(job);
  std::vector<PlanLayout> first;
  for (const Brute& one : all)
    if (const PlanLayout choice = choices.of(one.layout); std::ranges::find(first, choice) == first.end())
      first.push_back(choice);
  first.resize(std::min<std::size_t>(first.size(), 5));
  return first;
}

// The search must find all layouts that tie with the best, and the first five choices.
void expect_same(const PlanJob& job, const std::vector<PlanLayout>& layouts, FromScratch& evaluator) {
  ASSERT_FALSE(layouts.empty());
  const std::vector<Brute> all = brute_force(job, layouts, evaluator);
  const SearchResult found = searched(job, layouts, 5, 2);
  ASSERT_EQ(found.plans.empty(), all.empty());
  expect_best_on_devices(job, all, found);
  expect_best_of_frameworks(all, found);
  if (all.empty()) return;
  const JobCluster& best = job.clusters[all.front().layout.cluster];
  const auto ties = [&](const Brute& one) {
    return one.value <= all.front().value * (1 + margin(job, best, job.clusters[one.layout.cluster]));
  };
  for (std::size_t i = 0; i < all.size() && ties(all[i]); ++i) {
    ASSERT_GT(found.plans.size(), i);
    EXPECT_EQ(found.plans[i].layout, all[i].layout) << i;
    EXPECT_EQ(found.plans[i].value, all[i].value) << i;
    EXPECT_EQ(found.plans[i].tie, 1u) << i;
  }
  for (const PlanLayout& choice : first_choices(job, all)) expect_choice(job, all, found, choice);
  const SearchCounts& counts = found.counts;
  EXPECT_EQ(counts.legal, layouts.size());
  EXPECT_EQ(counts.pruned_by_memory + counts.pruned_by_bound + counts.evaluated, layouts.size());
}

void expect_same(const PlanJob& job) {
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  FromScratch evaluator(job, layouts);
  expect_same(job, layouts, evaluator);
}

TEST(PlanSearch, FindsWhatEveryLayoutEvaluatedGives) {
  expect_same(job_from(text_job()));
}

TEST(PlanSearch, FindsItWithImages) {
  JobJson job = image_job();
  job["batch"]["sequences"] = 8;
  job["clusters"][0]["devices"] = {8};
  job["search"]["data"] = {"zero1"};
  expect_same(job_from(job));
}

TEST(PlanSearch, FindsItAmongSystems) {
  expect_same(job_from(systems_job()));
}

TEST(PlanSearch, IsTheSameByAnyNumberOfThreads) {
  const PlanJob job = job_from(text_job());
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  const SearchResult one = searched(job, layouts, 5), three = searched(job, layouts, 5, 3);
  EXPECT_EQ(one.counts.pruned_by_memory, three.counts.pruned_by_memory);
  EXPECT_EQ(one.counts.pruned_by_bound, three.counts.pruned_by_bound);
  EXPECT_TRUE(std::ranges::equal(one.plans, three.plans, {}, &EvaluatedPlan::layout, &EvaluatedPlan::layout));
  EXPECT_TRUE(std::ranges::equal(one.plans, three.plans, {}, &EvaluatedPlan::value, &EvaluatedPlan::value));
}

TEST(PlanSearch, PrunesNothingThatItShouldNot) {
  EXPECT_GT(searched(job_from(text_job()), legal_layouts(job_from(text_job())), 1).counts.pruned_by_bound,
            0u);
}

// Software that splits models and software that does not, hosts and none.
JobJson random_frameworks() {
  if (*rc::gen::inRange(0, 2) == 0) return "none";
  const auto one = [] {
    return *rc::gen::element<std::string>("megatron-overlapped", "torchtitan-eager", "megatron-eager",
                                          "hf-fsdp2");
  };
  const std::string first = one(), second = one();
  return first == second ? JobJson{first} : JobJson{first, second};
}

// Draws devices, batch, memory, frameworks, schedules and objective at random.
JobJson random_job() {
  JobJson job = text_job();
  job["model"]["blocks"][0]["layers"] = *rc::gen::inRange(2, 7);
  job["batch"]["sequences"] = *rc::gen::element(4, 6, 8, 12, 16);
  job["workload"]["sequence_tokens"] = *rc::gen::element(512, 1024, 4096);
  job["objective"] = *rc::gen::element<std::string>("usd", "time");
  const auto cluster = [](const char* platform) {
    JobJson one = {{"platform", shipped(std::string("platforms/") + platform)},
                   {"devices", {*rc::gen::element(2, 4), *rc::gen::element(6, 8)}},
                   {"frameworks", random_frameworks()},
                   {"price_per_device_hour_usd", *rc::gen::element(1.0, 2.0, 3.5)}};
    if (*rc::gen::inRange(0, 2) == 0) one["memory_limit_gb"] = *rc::gen::element(4, 8, 16, 40);
    return one;
  };
  job["clusters"] = {cluster("hgx-h100.json")};
  if (*rc::gen::inRange(0, 2) == 0) job["clusters"].push_back(cluster("hgx-a100.json"));
  job["search"]["recompute"] = {*rc::gen::element<std::string>("none", "selective", "alternate", "full")};
  return job;
}

// A layout evaluated with what all layouts share must equal its written experiment evaluated alone. Checks
// some layouts.
void expect_written(const PlanJob& job, const std::vector<PlanLayout>& layouts, FromScratch& evaluator) {
  constexpr std::size_t kSome = 3;
  LayoutEvaluator in_company(job, layouts);
  for (std::size_t i = 0; i < layouts.size(); i += 1 + layouts.size() / kSome) {
    const PointOutcome found = in_company(i);
    if (!found.refusal.empty() || found.schedules[0].makespans.empty()) continue;
    const std::string text =
        experiment_text(job, layouts[i], evaluator.layers().experiment_of(layouts[i]).schedules[0]);
    Caches caches;
    const PointOutcome alone = without_evidence(
        evaluate_point(parse_experiment(text, "/x.json", {}, testing::known_files()), caches));
    EXPECT_EQ(alone.schedules, found.schedules) << text;
    EXPECT_EQ(alone.accounts, found.accounts) << text;
  }
}

// Three laws share a test because each needs evaluated layouts, which take the time.
SPILLWAY_LONG_PROP(PlanSearchProperties, FindWhatEveryLayoutEvaluatedGivesByBoundsBelowIt, 20) {
  const PlanJob job = job_from(random_job());
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  FromScratch evaluator(job, layouts);
  expect_same(job, layouts, evaluator);
  expect_bounds(job, layouts, evaluator);
  expect_written(job, layouts, evaluator);
  RC_ASSERT(!::testing::Test::HasFailure());
}

// Sets the memory limit so that half of the layouts fit.
void expect_half_to_fit(JobJson document) {
  const PlanJob roomy = job_from(document);
  const std::vector<PlanLayout> layouts = legal_layouts(roomy);
  FromScratch of_roomy(roomy, layouts);
  std::vector<double> peaks;
  for (std::size_t i = 0; i < layouts.size(); ++i)
    peaks.push_back(of_roomy(i).schedules[0].peak_memory->value());
  std::ranges::sort(peaks);
  document["clusters"][0]["memory_limit_gb"] = peaks[peaks.size() / 2] * 1e-9;
  const PlanJob job = job_from(document);
  LayoutEvaluator evaluator(job, layouts);
  FromScratch from_scratch(job, layouts);
  std::size_t untimed = 0;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const PointOutcome found = evaluator(i), expected = from_scratch(i);
    if (!found.schedules[0].makespans.empty()) {
      ASSERT_EQ(found, expected) << i;
      continue;
    }
    ++untimed;
    EXPECT_GT(*found.schedules[0].peak_memory, *found.memory_limit);
    EXPECT_LE(*found.schedules[0].peak_memory, *expected.schedules[0].peak_memory);
    EXPECT_EQ(found.memory_limit, expected.memory_limit);
  }
  EXPECT_GT(untimed, layouts.size() / 8);  // behind a transposed input only a timeline shows it
}

// A layout that does not fit is not timed; a layout that fits evaluates as from scratch.
TEST(PlanSearch, EvaluatesToWhatALayoutIs) {
  expect_half_to_fit(text_job());
  JobJson images = image_job();
  images["batch"]["sequences"] = 8;
  images["clusters"][0]["devices"] = {8};
  images["search"]["data"] = {"zero1"};
  expect_half_to_fit(images);
}

TEST(PlanSearch, FindsItAmongManyChunks) {
  JobJson job = text_job();
  job["model"]["blocks"][0]["layers"] = 14;
  job["clusters"][0]["devices"] = {4};
  job["search"] = {{"recompute", {"none"}}, {"data", {"zero1"}}, {"microbatch_sequences", {1}}};
  const PlanJob read = job_from(job);
  expect_same(read);
  expect_bounds(read);
}

}  // namespace
}  // namespace spillway
