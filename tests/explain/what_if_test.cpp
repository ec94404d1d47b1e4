// What-ifs against documents that state the same changes, and against closed forms.
#include "experiment/what_if.h"

#include <gtest/gtest.h>

#include <cmath>

#include "evaluate/evaluate.h"
#include "evaluate/steps.h"
#include "explained_jobs.h"
#include "planted_causes.h"
#include "support/property.h"

namespace spillway {
namespace {

Seconds step(const Experiment& experiment, std::size_t schedule = 0) {
  return mean_makespan(evaluate(experiment, {.run = {Engine::LongestPath}}).schedules[schedule]);
}

Seconds step_of(JobJson job, const std::vector<Setting>& settings = {}, std::size_t schedule = 0) {
  return step(read_job(job, settings), schedule);
}

TEST(WhatIf, AnEncoderForNothingIsOneWithoutDurations) {
  JobJson job = given_job();
  const Seconds asked = step_of(job, {{"/what_if/encoder_time", "0"}});
  for (const char* pass : {"forward_ms", "input_gradient_ms", "weight_gradient_ms"})
    job["model"]["blocks"][0]["profile"][pass] = 0;
  EXPECT_EQ(asked, step_of(job));
  EXPECT_LT(asked, step_of(given_job()));
}

TEST(WhatIf, FasterLinksAreShorterTransfers) {
  JobJson job = given_job();
  const Seconds asked = step_of(job, {{"/what_if/link_speed", "4"}});
  job["network"]["p2p_ms"] = job["network"]["p2p_ms"].get<double>() / 4;
  EXPECT_EQ(asked, step_of(job));
}

TEST(WhatIf, FasterLinksAreThoseOfAFasterPlatform) {
  const JobJson job = priced_job();
  JobJson faster = job;
  JobJson& changes = faster["platform_set"];
  const JobJson platform = JobJson::parse(slurp(shipped("platforms/cloudmatrix384.json")));
  const auto halve = [&](const std::string& at, const JobJson& figure) {
    if (!figure.is_null()) changes[at + "/value"] = figure["value"].get<double>() / 2;
  };
  const auto twice = [&](const std::string& at, const JobJson& figure) {
    changes[at + "/value"] = figure["value"].get<double>() * 2;
  };
  for (std::size_t i = 0; i < platform["ports"].size(); ++i)
    twice("/ports/" + std::to_string(i) + "/bandwidth_gbps", platform["ports"][i]["bandwidth_gbps"]);
  for (std::size_t i = 0; i < platform["tiers"].size(); ++i) {
    const std::string tier = "/tiers/" + std::to_string(i);
    twice(tier + "/bandwidth_gbps", platform["tiers"][i]["bandwidth_gbps"]);
    halve(tier + "/latency_us", platform["tiers"][i]["latency_us"]);
    halve(tier + "/step_latency_us", platform["tiers"][i].value("step_latency_us", JobJson()));
  }
  EXPECT_NEAR(step_of(job, {{"/what_if/link_speed", "2"}}) / step_of(faster), 1, 1e-12);
}

// Scales every number that a platform states of the ports in [first, end) and of their tiers.
JobJson with_ports(JobJson job, std::size_t first, std::size_t end, double speed) {
  PlatformEdit edit(job);
  for (std::size_t port = first; port < std::min(end, edit.platform()["ports"].size()); ++port)
    edit.scale_port(port, speed);
  return job;
}

JobJson on_hgx_h100(JobJson job) {
  job["platform"] = shipped("platforms/hgx-h100.json");
  job["pipeline"]["replicas"] = 8;  // over several nodes
  return job;
}

// Ports have their measured sweeps and protocols.
TEST(WhatIf, AFasterPortIsThatOfAFasterPlatform) {
  const JobJson job = on_hgx_h100(priced_job());
  const Seconds as_is = step_of(job);
  const std::vector<std::string> ports = {"nvlink", "nic"};
  for (std::size_t port = 0; port < ports.size(); ++port) {
    const Seconds asked = step_of(job, {{"/what_if/port_speed/" + ports[port], "2"}});
    EXPECT_NEAR(asked / step_of(with_ports(job, port, port + 1, 2)), 1, 1e-12) << ports[port];
    EXPECT_LT(asked, as_is) << ports[port];
  }
}

TEST(WhatIf, AllPortsTogetherAreAllLinks) {
  const JobJson job = on_hgx_h100(priced_job());
  const Seconds links = step_of(job, {{"/what_if/link_speed", "3"}});
  EXPECT_EQ(step_of(job, {{"/what_if/port_speed", R"({"nvlink": 3, "nic": 3})"}}), links);
  EXPECT_NEAR(links / step_of(with_ports(job, 0, 9, 3)), 1, 1e-12);
}

TEST(WhatIf, SlowerComputingIsALowerSustainedRate) {
  const JobJson job = priced_job();
  JobJson lower = job;
  PlatformEdit(lower).state("/accelerator/sustained", 1, 0.8);
  EXPECT_NEAR(step_of(job, {{"/what_if/compute_speed", "0.8"}}) / step_of(lower), 1, 5e-3);
  JobJson plain = plain_job();
  EXPECT_NEAR(step_of(plain, {{"/what_if/compute_speed", "0.8"}}) / step_of(plain), 1 / 0.8, 1e-12);
}

TEST(WhatIf, SlowerHostsTakeLongerForWhatTheyState) {
  JobJson job = on_hgx_h100(priced_job());
  for (const char* framework : {"", "megatron-eager"}) {
    if (*framework) job["framework"] = framework;
    JobJson slower = job;
    PlatformEdit edit(slower);
    edit.scale("/accelerator/host_overhead_us", 50);
    edit.state("/accelerator/host_speed", 1, 0.02);
    const Seconds asked = step_of(job, {{"/what_if/host_speed", "0.02"}});
    EXPECT_NEAR(asked / step_of(slower), 1, 1e-12) << framework;
    EXPECT_GT(asked, step_of(job)) << framework;
  }
}

// Oracle: the durations of the rank's passes are scaled in the order.
TEST(WhatIf, AStragglerIsARankOfLongerPasses) {
  for (const char* schedule : {"1f1b", "zb-h1", "dualpipe", "transpose,1f1b", "gpipe"}) {
    JobJson job = given_job();
    job["pipeline"]["microbatches"] = 8;
    job["model"]["blocks"][0].erase("work_per_microbatch");
    job["schedules"] = {{{"name", "s"}, {"schedule", schedule}}};
    if (std::string(schedule).starts_with("transpose")) job["schedules"][0]["owner"] = "round-robin";
    job.erase("baseline");
    for (const std::uint32_t rank : {0u, 3u}) {
      const std::string straggler = R"({"rank":)" + std::to_string(rank) + R"(,"time":1.5})";
      EXPECT_NEAR(step_of(job, {{"/what_if/straggler", straggler}}) / step_with_straggler(job, rank, 1.5), 1,
                  1e-12)
          << schedule << " " << rank;
    }
  }
}

TEST(WhatIf, TimeBetweenStepsIsAdded) {
  for (const JobJson& job : {plain_job(), priced_job(), on_hgx_h100(priced_job())}) {
    const Seconds later = step_of(job, {{"/what_if/between_steps_ms", "25"}}) - step_of(job);
    EXPECT_NEAR(later.value(), 0.025, 1e-12);
  }
  JobJson job = on_hgx_h100(priced_job());
  job["framework"] = "megatron-overlapped";  // which states the end of a step
  EXPECT_NEAR((step_of(job, {{"/what_if/between_steps_ms", "25"}}) - step_of(job)).value(), 0.025, 1e-12);
}

std::string first_violation(const JobJson& job, const std::vector<Setting>& settings) {
  try {
    read_job(job, settings);
  } catch (const InputError& bad) {
    return bad.violations().front().pointer + ": " + bad.violations().front().expected;
  }
  return "";
}

TEST(WhatIf, KnowsThePortsAndTheRanks) {
  EXPECT_EQ(first_violation(priced_job(), {{"/what_if/port_speed/nic", "2"}}),
            "/what_if/port_speed/nic: a port of the platform: die, ub, rdma");
  EXPECT_EQ(first_violation(priced_job(), {{"/what_if/straggler", R"({"rank":2,"time":2})"}}),
            "/what_if/straggler/rank: a rank from 0 to 1");
  EXPECT_EQ(first_violation(given_job(), {{"/what_if/host_speed", "2"}}),
            "/what_if/host_speed: no such key, since blocks have profiles");
}

// One rank of two devices uses its links only for collectives.
TEST(WhatIf, FreeCollectivesAreLinksOfNoTime) {
  JobJson job = priced_job();
  job["pipeline"] = {{"ranks", 1}, {"microbatches", 2}};
  const Seconds free = step_of(job, {{"/what_if/inner_collective_time", "0"}}),
                fast = step_of(job, {{"/what_if/link_speed", "1e6"}}), as_is = step_of(job);
  EXPECT_NEAR(fast / free, 1, 1e-4);
  EXPECT_LT(free, as_is);
  const auto inside = evaluate(read_job(job, {}), {.run = {Engine::LongestPath}})
                          .schedules[0]
                          .draws.front()
                          .critical_path.inside;
  EXPECT_NEAR((as_is - free) / inside.collectives, 1, 1e-9);
}

// On one rank the critical path loses only the recomputation.
TEST(WhatIf, WhatIsRecomputedIsWhatDoingWithoutSaves) {
  JobJson job = priced_job();
  job["pipeline"] = {{"ranks", 1}, {"microbatches", 2}};
  job["parallel"] = {{"tensor", 1}};
  job["model"]["blocks"][0]["recompute"] = "full";
  const auto inside = evaluate(read_job(job, {}), {.run = {Engine::LongestPath}})
                          .schedules[0]
                          .draws.front()
                          .critical_path.inside;
  const Seconds saved = step_of(job) - step_of(job, {{"/model/blocks/0/recompute", "none"}});
  EXPECT_NEAR(saved / inside.recomputed, 1, 1e-9);
}

// gpipe takes (P + M - 1) slots of a forward and then of a backward, each of the mean stage.
RC_GTEST_PROP(WhatIf, EvenStagesTakeWhatEqualOnesDo, ()) {
  const auto ranks = *rc::gen::inRange(1U, 5U), microbatches = *rc::gen::inRange(1U, 6U);
  std::vector<std::uint32_t> layers;
  std::uint32_t all = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) all += layers.emplace_back(*rc::gen::inRange(1U, 7U));
  JobJson job = plain_job();
  job["pipeline"] = {{"ranks", ranks}, {"microbatches", microbatches}};
  job["model"]["blocks"][0]["layers"] = all;
  job["schedules"] = {{{"name", "s"}, {"schedule", "gpipe"}, {"layers_per_rank", layers}}};
  const double slot = 1e-3 * (1 + 2 + 3) * all / ranks;  // plain_job's durations
  const double expected = (ranks + microbatches - 1) * slot;
  RC_ASSERT(std::abs(step_of(job, {{"/what_if/even_stages", "true"}}).value() - expected) <=
            1e-12 * expected);
}

// An operator that takes no time is not part of the evidence for the time.
TEST(WhatIf, IsInWhatTheEvidenceSumsUp) {
  const auto operators = [](const std::vector<Setting>& settings) {
    return evaluate(read_job(priced_job(), settings), {.run = {Engine::LongestPath}})
        .schedules[0]
        .first.operators;
  };
  const auto sum = [](const std::vector<PricedOperator>& all, bool collectives) {
    Seconds time;
    for (const PricedOperator& one : all)
      if (one.shape.starts_with("devices=") == collectives) time += one.time;
    return time;
  };
  const auto as_is = operators({}), free = operators({{"/what_if/inner_collective_time", "0"}}),
             twice = operators({{"/what_if/inner_collective_time", "2"}});
  EXPECT_GT(sum(as_is, true), Seconds());
  EXPECT_EQ(sum(free, true), Seconds());
  EXPECT_NEAR(sum(twice, true) / sum(as_is, true), 2, 1e-12);
  EXPECT_EQ(sum(free, false), sum(as_is, false));
}

TEST(WhatIf, WaitsForWhatIsFitted) {
  JobJson job = given_job();
  job["fit"] = {{{"pointer", "/network/p2p_ms"}, {"schedule", "baseline"}, {"makespan_s", 0.7}}};
  const Experiment changed = read_job(job, {{"/what_if/link_speed", "2"}});
  const Evaluation with = evaluate(changed, {.run = {Engine::LongestPath}}),
                   without = evaluate(read_job(job, {}), {.run = {Engine::LongestPath}});
  EXPECT_EQ(with.fitted.front().value, without.fitted.front().value);
  EXPECT_LT(mean_makespan(with.schedules[1]), mean_makespan(without.schedules[1]));
  JobJson stated = given_job();
  stated["network"]["p2p_ms"] = with.fitted.front().value;
  EXPECT_EQ(mean_makespan(with.schedules[1]), step_of(stated, {{"/what_if/link_speed", "2"}}, 1));
}

TEST(WhatIf, IsSaidAmongTheAssumptions) {
  EXPECT_EQ(read_job(plain_job(), {{"/what_if/compute_speed", "0.8"},
                                   {"/what_if/straggler", R"({"rank":1,"time":1.3})"},
                                   {"/what_if/between_steps_ms", "60"}})
                .assumptions,
            (std::vector<std::string>{"what if: devices compute at 0.8 times their speed",
                                      "what if: passes of rank 1 take 1.3 times their time",
                                      "what if: each step begins 60 ms late"}));
  const Experiment job =
      read_job(given_job(), {{"/what_if/link_speed", "2"}, {"/what_if/even_stages", "true"}});
  EXPECT_EQ(job.assumptions,
            (std::vector<std::string>{"what if: links run at 2 times their speed",
                                      "what if: every pipelined stage takes the mean time of all stages"}));
}

}  // namespace
}  // namespace spillway
