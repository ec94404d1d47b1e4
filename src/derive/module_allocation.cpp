#include "derive/module_allocation.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {
namespace {

// A layout of a module, and what it takes there.
struct Candidate {
  PlacedModule layout;
  Seconds way;       // C
  Seconds interval;  // C / (p d)

  std::uint32_t devices() const { return layout.ranks * layout.replicas * layout.members(); }
};

Candidate candidate_of(const ModuleToPlace& module, const ModuleTime& time, std::uint32_t ranks,
                       std::uint32_t replicas) {
  return {{module.layers, ranks, replicas, time.tensor, 1},
          time.microbatch,
          time.microbatch / (static_cast<double>(ranks) * replicas)};
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
        Candidate candidate = candidate_of(module, time, ranks, replicas);
        if (job.fits(index, candidate.layout)) all.push_back(std::move(candidate));
      }
  }
  return all;
}

// By number of devices, of each tensor parallelism the layout with most pipelines.
using ByDevices = std::vector<std::vector<Candidate>>;

ByDevices by_devices(const std::vector<Candidate>& all, std::uint32_t devices) {
  ByDevices table(devices);
  for (const Candidate& candidate : all) {
    std::vector<Candidate>& known = table[candidate.devices()];
    const bool again = std::ranges::any_of(
        known, [&](const Candidate& one) { return one.layout.tensor == candidate.layout.tensor; });
    if (!again) known.push_back(candidate);
  }
  return table;
}

class Search {
 public:
  explicit Search(const AllocationJob& job) : job_(job), chosen_(job.modules.size()) {
    for (std::size_t module = 0; module < job.modules.size(); ++module)
      tables_.push_back(module == job.backbone ? ByDevices()
                                               : by_devices(candidates_of(job, module), job.devices));
  }

  std::optional<std::vector<PlacedModule>> run() && {
    for (const Candidate& backbone : candidates_of(job_, job_.backbone)) {
      chosen_[job_.backbone] = &backbone;
      pipelines_ = backbone.layout.replicas;
      place(0, job_.devices - backbone.devices(), backbone.way, backbone.interval);
    }
    return std::move(best_);
  }

 private:
  Seconds time(Seconds way, Seconds interval) const {
    return way + interval * static_cast<double>(job_.microbatches - pipelines_);
  }

  std::size_t others_from(std::size_t module) const {
    const std::size_t left = job_.modules.size() - module;
    return left - (job_.backbone >= module ? 1 : 0);
  }

  // Modules from `module` on share `left` devices; those before take `way` and `interval`.
  void place(std::size_t module, std::uint32_t left, Seconds way, Seconds interval) {
    if (module == job_.backbone) return place(module + 1, left, way, interval);
    if (best_ && time(way, interval) >= least_) return;
    if (module >= job_.modules.size()) return keep(way, interval);
    const bool last = others_from(module) == 1;
    for (std::uint32_t devices = last ? left : 1; devices <= left; ++devices)
      for (const Candidate& one : tables_[module][devices]) {
        chosen_[module] = &one;
        place(module + 1, left - devices, way + one.way, std::max(interval, one.interval));
      }
  }

  void keep(Seconds way, Seconds interval) {
    least_ = time(way, interval);
    best_.emplace();
    for (const Candidate* one : chosen_) best_->push_back(one->layout);
  }

  const AllocationJob& job_;
  std::vector<ByDevices> tables_;  // of other modules than the backbone
  std::vector<const Candidate*> chosen_;
  std::uint32_t pipelines_ = 0;  // of the backbone
  std::optional<std::vector<PlacedModule>> best_;
  Seconds least_;
};

}  // namespace

std::optional<std::vector<PlacedModule>> allocated_modules(const AllocationJob& job) {
  return Search(job).run();
}

Seconds allocation_time(const AllocationJob& job, std::span<const PlacedModule> modules) {
  Seconds way, interval;
  for (std::size_t module = 0; module < modules.size(); ++module) {
    const auto& times = job.modules[module].times;
    const auto time = std::ranges::find(times, modules[module].tensor, &ModuleTime::tensor);
    ensure(time != times.end(), "a module has a time for its tensor parallelism");
    way += time->microbatch;
    interval = std::max(
        interval, time->microbatch / (static_cast<double>(modules[module].ranks) * modules[module].replicas));
  }
  return way + interval * static_cast<double>(job.microbatches - modules[job.backbone].replicas);
}

}  // namespace spillway
