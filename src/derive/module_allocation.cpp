#include "derive/module_allocation.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {
namespace {

// A layout of a module, and its times.
struct Candidate {
  PlacedModule layout;
  Seconds way;     // C
  Seconds steady;  // (T / d - 1) turns of the slowest rank

  std::uint32_t devices() const { return layout.ranks * layout.replicas * layout.members(); }
};

// Ranks hold whole layers.
Seconds steady_time(Seconds microbatch, const PlacedModule& layout, std::uint64_t microbatches) {
  const auto rounds = static_cast<double>(microbatches / layout.replicas - 1);
  const std::uint32_t layers = layout.layers.size(), most = (layers + layout.ranks - 1) / layout.ranks;
  return microbatch * (rounds * most / layers);
}

// Every layout that fits; most pipelines first.
std::vector<Candidate> candidates_of(const AllocationJob& job, std::size_t index) {
  const ModuleToPlace& module = job.modules[index];
  std::vector<Candidate> all;
  for (std::uint32_t replicas = job.devices; replicas > 0; --replicas) {
    if (job.microbatches % replicas != 0) continue;
    for (const ModuleTime& time : module.times)
      for (std::uint32_t ranks = 1; ranks <= module.layers.size(); ++ranks) {
        if (std::uint64_t{ranks} * replicas * time.tensor >= job.devices) break;
        const PlacedModule layout{module.layers, ranks, replicas, time.tensor, 1};
        if (job.fits(index, layout))
          all.push_back({layout, time.microbatch, steady_time(time.microbatch, layout, job.microbatches)});
      }
  }
  return all;
}

// By number of devices: the fastest layout for each tensor-parallel size; the first on a tie.
using ByDevices = std::vector<std::vector<Candidate>>;

ByDevices by_devices(const std::vector<Candidate>& all, std::uint32_t devices) {
  ByDevices table(devices);
  for (const Candidate& candidate : all) {
    std::vector<Candidate>& known = table[candidate.devices()];
    const auto same = std::ranges::find_if(
        known, [&](const Candidate& one) { return one.layout.tensor == candidate.layout.tensor; });
    if (same == known.end())
      known.push_back(candidate);
    else if (candidate.steady < same->steady)
      *same = candidate;
  }
  return table;
}

class Search {
 public:
  explicit Search(const AllocationJob& job) : job_(job), chosen_(job.modules.size()) {
    for (std::size_t module = 0; module < job.modules.size(); ++module)
      tables_.push_back(by_devices(candidates_of(job, module), job.devices));
  }

  std::optional<std::vector<PlacedModule>> run() && {
    place(0, job_.devices, {}, {});
    return std::move(best_);
  }

 private:
  // Places the modules from `module` on onto `left` devices; the earlier modules take `way` and `steady`.
  void place(std::size_t module, std::uint32_t left, Seconds way, Seconds steady) {
    if (best_ && way + steady >= least_) return;
    if (module == job_.modules.size()) return keep(way + steady);
    const bool last = module + 1 == job_.modules.size();
    for (std::uint32_t devices = last ? left : 1; devices <= left && devices < job_.devices; ++devices)
      for (const Candidate& one : tables_[module][devices]) {
        chosen_[module] = &one;
        place(module + 1, left - devices, way + one.way, std::max(steady, one.steady));
      }
  }

  void keep(Seconds time) {
    least_ = time;
    best_.emplace();
    for (const Candidate* one : chosen_) best_->push_back(one->layout);
  }

  const AllocationJob& job_;
  std::vector<ByDevices> tables_;  // by module
  std::vector<const Candidate*> chosen_;
  std::optional<std::vector<PlacedModule>> best_;
  Seconds least_;
};

}  // namespace

std::optional<std::vector<PlacedModule>> allocated_modules(const AllocationJob& job) {
  return Search(job).run();
}

Seconds allocation_time(const AllocationJob& job, std::span<const PlacedModule> modules) {
  Seconds way, steady;
  for (std::size_t module = 0; module < modules.size(); ++module) {
    const auto& times = job.modules[module].times;
    const auto time = std::ranges::find(times, modules[module].tensor, &ModuleTime::tensor);
    ensure(time != times.end(), "a module has a time for its tensor parallelism");
    way += time->microbatch;
    steady = std::max(steady, steady_time(time->microbatch, modules[module], job.microbatches));
  }
  return way + steady;
}

}  // namespace spillway
