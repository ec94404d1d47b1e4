#include "derive/module_runs.h"

#include <algorithm>

namespace spillway {
namespace {

bool begins(const Slot& slot) {
  return slot.chunk == 0 && slot.action == Action::Forward;
}

bool comes_back(const Slot& slot) {
  return slot.chunk == 0 && (slot.action == Action::Backward || slot.action == Action::BackwardInput);
}

// Microbatch k of copy c is number k x copies + c of the unit.
RankOrder numbered_in_unit(RankOrder order, const ModulePlace& place, std::uint32_t copy) {
  for (Slot& slot : order) slot.microbatch = MicrobatchId(slot.microbatch.index() * place.copies + copy);
  return order;
}

Body body_of(const ModuleRun& run, const std::vector<RankOrder>& orders, std::uint32_t ranks) {
  Body body{run.run.skeleton, {}, std::vector<RankOrder>(ranks)};
  for (std::size_t region = run.run.first; region < run.run.end; ++region) body.regions.push_back(region);
  for (std::uint32_t rank = 0; rank < run.ranks; ++rank)
    for (std::uint32_t copy = 0; copy < run.place.copies; ++copy)
      body.orders[run.rank(RankId(rank), copy).index()] = numbered_in_unit(orders[rank], run.place, copy);
  return body;
}

}  // namespace

std::vector<ModuleRun> module_runs(const Schedule& schedule, const std::vector<Region>& regions,
                                   const DeriveOptions& options) {
  const std::vector<ModulePlace> places = places_of(options.modules, options.pipeline);
  std::vector<ModuleRun> runs;
  std::size_t region = 0;
  for (std::size_t module = 0; module < places.size(); ++module) {
    const std::size_t first = region;
    while (region < regions.size() && regions[region].layers.end <= options.modules[module].layers.end)
      ++region;
    ensure(first < region, "a module has regions");
    runs.push_back(
        {{first, region, schedule.skeletons[first]}, options.modules[module].ranks, places[module]});
  }
  return runs;
}

RunShape run_shape(const ModuleRun& run, const DeriveOptions& options) {
  const auto chunks = static_cast<std::uint32_t>(run.run.end - run.run.first);
  const std::uint32_t microbatches = options.pipeline.microbatches / run.place.copies;
  return {run.ranks, microbatches, chunks,
          options.microbatch_group == 0 ? default_group(run.ranks, microbatches) : options.microbatch_group};
}

std::vector<Body> module_bodies(const Schedule& schedule, const std::vector<Region>& regions,
                                const DeriveOptions& options) {
  std::vector<Body> bodies;
  std::uint32_t behind = 0;  // microbatches in flight in later modules, over all copies
  const std::vector<ModuleRun> runs = module_runs(schedule, regions, options);
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    const std::uint32_t copies = run->place.copies;
    std::vector<RankOrder> orders = rank_orders(run->run.skeleton, run_shape(*run, options));
    for (RankOrder& order : orders) order = run_ahead(order, (behind + copies - 1) / copies);
    behind = in_flight(orders.front()) * copies;
    bodies.push_back(body_of(*run, orders, options.pipeline.ranks));
  }
  std::reverse(bodies.begin(), bodies.end());
  return bodies;
}

RankOrder run_ahead(const RankOrder& order, std::uint32_t ahead) {
  RankOrder forwards, others, made;
  std::vector<std::size_t> behind;  // by forward: the number of other slots before it
  for (const Slot& slot : order) {
    if (slot.action != Action::Forward) {
      others.push_back(slot);
      continue;
    }
    forwards.push_back(slot);
    behind.push_back(others.size());
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i <= others.size(); ++i) {
    while (next < forwards.size() && behind[next] <= i + ahead) made.push_back(forwards[next++]);
    if (i < others.size()) made.push_back(others[i]);
  }
  return made;
}

std::uint32_t in_flight(const RankOrder& first_rank) {
  std::uint32_t now = 0, most = 0;
  for (const Slot& slot : first_rank) {
    if (begins(slot)) most = std::max(most, ++now);
    if (comes_back(slot)) --now;
  }
  return most;
}

}  // namespace spillway
