// DistTrain with an interleaved backbone, which solves for the ranks of each module.
#include <gtest/gtest.h>

#include <algorithm>

#include "draws/solved_modules.h"
#include "evaluate/evaluate.h"
#include "optimize/layer_split.h"
#include "random_job.h"
#include "support/engines.h"
#include "support/long_property.h"
#include "support/property.h"

namespace spillway {
namespace {

using testing::SystemTestJob;

std::string interleaved(std::uint32_t chunks, const std::string& more = "") {
  return R"({ "name": "s", "system": "disttrain", "chunks": )" + std::to_string(chunks) + more + " }";
}

// Returns the work of the slowest rank of any module in the planned schedule.
Seconds slowest_rank(const Experiment& experiment) {
  const DrawCosts costs(experiment);
  const PlanningDraws draws = PlanningDraws::expected(experiment);
  const std::vector<Seconds> layers = layer_times(costs, draws);
  const ScheduleSpec planned = with_planned_stages(costs, experiment.schedules.front(), draws);
  Seconds slowest;
  std::size_t layer = 0, stage = 0;
  for (const PlacedModule& module : planned.modules) {
    std::vector<Seconds> ranks(module.ranks);
    for (std::size_t at = 0; layer < module.layers.end; ++at)
      for (std::uint32_t left = planned.layers_per_rank[stage++]; left > 0; --left)
        ranks[at % module.ranks] += layers[layer++];
    slowest = std::max(slowest, *std::max_element(ranks.begin(), ranks.end()));
  }
  return slowest;
}

// No other number of encoder ranks gives the slowest rank less work.
SPILLWAY_LONG_PROP(InterleavedModules, HaveTheRanksThatMakeTheSlowestFastest, 100) {
  SystemTestJob job = *testing::random_two_module_job();
  job.chunks = *rc::gen::inRange<std::uint32_t>(2, 4);
  job.encoder = job.ranks;
  job.backbone = job.ranks * job.chunks + *rc::gen::inRange<std::uint32_t>(0, 6);
  const Experiment found = job.under(interleaved(job.chunks));
  const std::vector<PlacedModule>& modules = found.schedules.front().modules;
  RC_ASSERT(modules.size() == 2U && modules[0].ranks + modules[1].ranks == job.ranks);
  RC_ASSERT(modules[0].replicas == job.replicas && modules[1].replicas == job.replicas);
  for (std::uint32_t ranks = 1; ranks < job.ranks; ++ranks) {
    const Experiment tried =
        job.under(interleaved(job.chunks, R"(, "encoder_ranks": )" + std::to_string(ranks)));
    RC_ASSERT(tried.schedules.front().modules[0].ranks == ranks);
    RC_ASSERT(slowest_rank(found) <= slowest_rank(tried) * (1 + 1e-9));
  }
}

// By hand: the backbone would be fastest on three of four ranks, but has layers for three chunks on only two.
// Five microbatches cannot be shared by two, three or four pipelines.
TEST(InterleavedModules, HaveALayerForEveryChunk) {
  SystemTestJob job{.ranks = 4, .microbatches = 5, .encoder = 4, .backbone = 6};
  job.encoder_ms = 1, job.backbone_ms = 20;
  for (const char* devices : {"", R"(, "modules": "solved")"}) {
    const Experiment found = job.under(interleaved(3, devices));
    const std::vector<PlacedModule>& modules = found.schedules.front().modules;
    ASSERT_EQ(modules.size(), 2U) << devices;
    EXPECT_EQ(modules[0].ranks, 2U) << devices;
    EXPECT_EQ(modules[1].ranks, 2U) << devices;
  }
}

// For any number of microbatches a job runs or is refused at `system`, `chunks` or `modules`.
RC_GTEST_PROP(InterleavedModules, RunOrAreRefusedAtAKeyThatStands, ()) {
  SystemTestJob job = *testing::random_two_module_job();
  job.microbatches = *rc::gen::inRange<std::uint32_t>(1, 12);
  job.work.clear();
  const std::string solved = *rc::gen::arbitrary<bool>() ? R"("modules": "solved", )" : "";
  const std::uint32_t chunks = *rc::gen::inRange<std::uint32_t>(2, 5);
  const std::string entry =
      R"({ "name": "s", "system": "disttrain", )" + solved + R"("chunks": )" + std::to_string(chunks) + " }";
  try {
    const Experiment experiment = job.under(entry);
    RC_ASSERT(evaluate(experiment, testing::kLongestPath).schedules.front().draws.front().step.makespan >
              Seconds());
  } catch (const InputError& error) {
    for (const Violation& violation : error.violations()) {
      const std::string key = violation.pointer.substr(violation.pointer.rfind('/') + 1);
      RC_ASSERT(key == "system" || key == "chunks" || key == "modules");
    }
  }
}

}  // namespace
}  // namespace spillway
