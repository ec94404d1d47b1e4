// Checks DistTrain's allocation of devices to modules.
#include "derive/module_allocation.h"

#include <gtest/gtest.h>

#include <chrono>

#include "support/property.h"

namespace spillway {
namespace {

bool anything_fits(std::size_t, const PlacedModule&) {
  return true;
}

std::uint32_t devices_of(const PlacedModule& module) {
  return module.ranks * module.replicas * module.members();
}

// Visits every allocation of layouts to the modules.
void for_each_allocation(const AllocationJob& job, std::vector<PlacedModule>& so_far, std::uint32_t left,
                         const auto& visit) {
  if (so_far.size() == job.modules.size()) {
    if (left == 0) visit(so_far);
    return;
  }
  const ModuleToPlace& module = job.modules[so_far.size()];
  for (const ModuleTime& time : module.times)
    for (std::uint32_t replicas = 1; replicas <= left; ++replicas)
      for (std::uint32_t ranks = 1; ranks <= module.layers.size(); ++ranks) {
        const PlacedModule one{module.layers, ranks, replicas, time.tensor, 1};
        if (job.microbatches % replicas != 0 || devices_of(one) > left || !job.fits(so_far.size(), one))
          continue;
        so_far.push_back(one);
        for_each_allocation(job, so_far, left - devices_of(one), visit);
        so_far.pop_back();
      }
}

RC_GTEST_PROP(ModuleAllocation, NoLayoutIsBetter, ()) {
  const auto number = [](std::uint32_t low, std::uint32_t high) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
  };
  std::vector<ModuleToPlace> modules;
  const std::uint32_t count = number(2, 3);
  for (std::uint32_t module = 0; module < count; ++module) {
    const double seconds = number(1, 20);
    modules.push_back({{10 * module, 10 * module + number(1, 4)}, {{1, Seconds(seconds)}}});
    if (number(0, 1) == 1) modules.back().times.push_back({2, Seconds(seconds * number(10, 19) / 20)});
  }
  const std::uint32_t most = number(1, 4);
  AllocationJob job{modules, number(count, 14), number(1, 24), [&](std::size_t, const PlacedModule& layout) {
                      return layout.replicas <= most * layout.ranks;
                    }};
  std::optional<Seconds> least;
  std::vector<PlacedModule> so_far;
  for_each_allocation(job, so_far, job.devices, [&](const std::vector<PlacedModule>& all) {
    const Seconds time = allocation_time(job, all);
    if (!least || time < *least) least = time;
  });
  const auto found = allocated_modules(job);
  RC_ASSERT(found.has_value() == least.has_value());
  if (!found) return;
  std::uint32_t devices = 0;
  for (const PlacedModule& module : *found) devices += devices_of(module);
  RC_ASSERT(devices == job.devices);
  RC_ASSERT(std::abs(allocation_time(job, *found).value() - least->value()) <= 1e-9 * least->value());
}

// DistTrain's paper reports 922 ms for its cluster of this size.
TEST(ModuleAllocation, TakesLessThanASecondOn1296Devices) {
  std::vector<ModuleToPlace> modules;
  const std::vector<std::pair<std::uint32_t, double>> sizes = {{32, 0.2}, {80, 4.0}, {24, 0.6}};
  std::uint32_t first = 0;
  for (const auto& [layers, seconds] : sizes) {
    modules.push_back({{first, first + layers}, {}});
    for (const std::uint32_t tensor : {1U, 2U, 4U, 8U})
      modules.back().times.push_back({tensor, Seconds(seconds / (tensor * (1.02 - 0.02 * tensor)))});
    first += layers;
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto found = allocated_modules({modules, 1296, 1920, anything_fits});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(found);
  EXPECT_LT(took.count(), 1.0);
  RecordProperty("seconds", std::to_string(took.count()));
}

}  // namespace
}  // namespace spillway
