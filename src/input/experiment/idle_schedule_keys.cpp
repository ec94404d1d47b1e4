#include <algorithm>
#include <array>
#include <functional>

#include "draws/costs.h"
#include "input/experiment/idle_keys.h"

namespace spillway {
namespace {

struct OneSchedule {
  const Experiment& job;
  const ScheduleSpec& schedule;
};

const char* owner(const OneSchedule& one) {
  if (!transposes(one.schedule.schedule)) return "nothing is transposed, so nothing has owners";
  return one.job.pipeline.ranks == 1 ? "one rank owns everything" : nullptr;
}

const char* owner_from(const OneSchedule& one) {
  if (const char* why = owner(one)) return why;
  const OwnerPolicy policy = one.schedule.owner;
  if (policy == OwnerPolicy::RoundRobin || policy == OwnerPolicy::Blocked)
    return "this owner map does not depend on sizes";
  return draws_differ(one.job) ? nullptr : "nothing of this job is drawn";
}

// Groups apply to interleaved 1F1B (VPP) that ends a schedule, with or without a transposed input before it.
const char* microbatch_group(const OneSchedule& one) {
  const auto& all = one.schedule.schedule.skeletons;
  const auto pipelined = [](const Skeleton& skeleton) { return layout_of(skeleton) == Layout::Sharded; };
  const auto body = std::find_if(all.begin(), all.end(), pipelined);
  const auto end = std::find_if_not(body, all.end(), pipelined);
  const bool woven = end - body > 1 && std::all_of(body, end, [](const Skeleton& skeleton) {
                       return traits_of(skeleton).weaving == Weaving::InGroups;
                     });
  return woven && end == all.end() ? nullptr
                                   : "groups apply only to interleaved 1F1B at the end of a schedule";
}

bool differ(const std::vector<std::vector<double>>& work) {
  return std::any_of(work.begin(), work.end(), [](const std::vector<double>& factors) {
    return std::adjacent_find(factors.begin(), factors.end(), std::not_equal_to<>()) != factors.end();
  });
}

bool microbatches_differ(const Experiment& job) {
  if (draws_differ(job)) return true;
  const auto* given = std::get_if<GivenCosts>(&job.costs);
  return given && std::any_of(given->blocks.begin(), given->blocks.end(), [](const BlockProfile& block) {
           return differ(block.work) || differ(block.backward_work);
         });
}

const char* order(const OneSchedule& one) {
  if (one.job.pipeline.microbatches == 1) return "there is one microbatch";
  return microbatches_differ(one.job) ? nullptr : "all microbatches are alike";
}

const char* split_idle(const OneSchedule& one) {
  const auto& all = one.schedule.schedule.skeletons;
  const bool pipelined = std::any_of(all.begin(), all.end(), [](const Skeleton& skeleton) {
    return layout_of(skeleton) == Layout::Sharded;
  });
  return pipelined ? nullptr : "nothing is pipelined, so no stages split the layers";
}

const char* planning(const OneSchedule& one) {
  return plans_each_step(one.job, one.schedule) ? nullptr : "one plan serves all steps";
}

const char* balance_samples(const OneSchedule& one) {
  return draws_differ(one.job) ? nullptr : "nothing of this job is drawn, so there are no samples to move";
}

const char* moves_samples(const OneSchedule& one) {
  if (const char* why = balance_samples(one)) return why;
  return one.job.pipeline.replicas == 1 ? "there is one replica" : nullptr;
}

const char* knows_draw(const OneSchedule& one) {
  return draws_differ(one.job) ? nullptr : "nothing of this job is drawn";
}

constexpr std::array<IdleRule<OneSchedule>, 9> kScheduleKeys = {{{"owner", owner},
                                                                 {"owner_from", owner_from},
                                                                 {"microbatch_group", microbatch_group},
                                                                 {"order", order},
                                                                 {"split", split_idle},
                                                                 {"planning_ms", planning},
                                                                 {"balance_samples", balance_samples},
                                                                 {"moves_samples", moves_samples},
                                                                 {"knows_draw", knows_draw}}};

}  // namespace

void add_idle_schedule_keys(const Node& document, const Experiment& experiment, std::vector<IdleKey>& idle) {
  const Node* schedules = member(&document, "schedules");
  for (std::size_t i = 0; i < experiment.schedules.size(); ++i)
    add_idle<OneSchedule>(element(schedules, i), "/schedules/" + std::to_string(i), kScheduleKeys,
                          {experiment, experiment.schedules[i]}, idle);
}

}  // namespace spillway
